/* test_clock.h - for tests: the time that goes by is theirs.
 *
 * Deadlines are due when a test says that it is so late, at once and on the busiest
 * machine; the loop and libuv look at the same clock.
 */
#ifndef NET_TEST_CLOCK_H
#define NET_TEST_CLOCK_H

/* From now on no time goes by. */
void test_clock_stop(void);

/* All at once. */
void test_clock_forward(unsigned ms);
void test_clock_forward_us(unsigned us);

#endif
