// uWebSockets as a fan-out server, with the paths of the bare one: /pub, /sub and /sub?k=N.
// It looks for the correlationId in the bytes and publishes them as they came; nothing is
// parsed, checked, numbered or stored. Sending is all in the library: this is the glue.
//
//     node bench/uws.mjs FOLDER PORT     FOLDER is where the library was installed
import { createRequire } from "node:module";

const [folder, port] = process.argv.slice(2);
const uws = createRequire(`${folder}/package.json`)(`${folder}/node_modules/@trufflesuite/uws-js-unofficial`
  + `/binaries/uws_${process.platform}_${process.arch}_${process.versions.modules}.node`);

const WORDS = Buffer.from('"correlationId":"c');
const DIGITS = 5;

// Nobody is ever cut off: the library is not to drop what the others must deliver.
const patient = { compression: uws.DISABLED, idleTimeout: 0, maxBackpressure: 1 << 30, maxPayloadLength: 1 << 20 };

const app = uws.App();
let withKeys = 0;

app.ws("/sub", {
  ...patient,
  upgrade(answer, request, context) {
    const key = request.getQuery("k");
    answer.upgrade({ topic: key === undefined ? "all" : key.padStart(DIGITS, "0") },
      request.getHeader("sec-websocket-key"), request.getHeader("sec-websocket-protocol"),
      request.getHeader("sec-websocket-extensions"), context);
  },
  open(socket) {
    const { topic } = socket.getUserData();
    withKeys += topic === "all" ? 0 : 1;
    socket.subscribe(topic);
  },
});
app.ws("/pub", {
  ...patient,
  message(socket, bytes) {
    if (withKeys === 0) {
      app.publish("all", bytes, false);
      return;
    }
    const text = Buffer.from(bytes);
    const at = text.indexOf(WORDS) + WORDS.length;
    app.publish(text.latin1Slice(at, at + DIGITS), bytes, false);
  },
});
app.listen("127.0.0.1", Number(port), (listening) => {
  if (!listening) process.exit(1);
});
process.on("SIGTERM", () => process.exit(0));
