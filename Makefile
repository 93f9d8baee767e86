# The front door.  Every target installs the packages it needs by itself
# (packaging/) and builds with Meson and Ninja in build/.
PREFIX  ?= /usr/local
DESTDIR ?=
SECONDS ?= 60
LAB     ?= build/lab

.PHONY: run build test check bench fuzz torture soak peers coverage format voice install deb clean

run: build
	@exec build/signalbox serve --demo

build:
	@packaging/install-packages build
	@tools/build build

test:
	@packaging/install-packages build test
	@tools/build --tests build
	@tools/one-line 'fetching what the tests need' tools/node-modules tests/node
	@tools/run-tests build

check:
	@packaging/install-packages build test check
	@tools/check

bench:
	@packaging/install-packages build test bench
	@tools/build build
	@tools/one-line 'fetching what the tests need' tools/node-modules tests/node
	@python3 bench/run.py

fuzz:
	@packaging/install-packages build check
	@tools/fuzz $(SECONDS)

torture:
	@packaging/install-packages build test
	@tools/build --tests build
	@tools/torture --seconds $(SECONDS) build
	@python3 bench/bad_clients.py build

soak:
	@packaging/install-packages build test deb soak
	@tools/build --tests build
	@tools/one-line 'fetching what the tests need' tools/node-modules tests/node
	@tools/run-tests --soak build

peers:
	@packaging/install-packages build test
	@tools/build --tests build
	@tools/peers-lab $(LAB)
	@LAB=$(LAB) tools/run-tests --peers build

coverage:
	@packaging/install-packages build test check
	@tools/laws/address
	@tools/coverage

format:
	@packaging/install-packages check
	@tools/c-files | xargs -0 clang-format -i

# What a box hears and speaks with, offline; not part of it (docs/voice.md).
voice:
	@packaging/install-packages build voice
	@tools/one-line 'fetching what speech needs' tools/voice build/voice
	@install -d $(DESTDIR)$(PREFIX)/lib/signalbox/voice && \
		cp -r build/voice/. $(DESTDIR)$(PREFIX)/lib/signalbox/voice

# Assertions are for those who work on it.
install:
	@packaging/install-packages build
	@tools/build -Db_ndebug=true build/install
	@meson configure build/install -Dprefix=$(PREFIX)
	@DESTDIR=$(DESTDIR) meson install -C build/install

deb:
	@packaging/install-packages build deb
	@tools/deb build

clean:
	@rm -rf build
