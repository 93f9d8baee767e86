/* curve.h - P-256, as Web Push uses it: keys as bytes, a shared secret, and ES256. */
#ifndef NOTIFY_CURVE_H
#define NOTIFY_CURVE_H

#include "base/text.h"

#define CURVE_SECRET 32
#define CURVE_POINT 65 /* 4, x, y */
#define CURVE_SHARED 32
#define CURVE_SIGNATURE 64 /* r, s */

void curve_draw(unsigned char secret[CURVE_SECRET]);

/* False: the secret is none, or the point is none of the curve. */
bool curve_point(const unsigned char secret[CURVE_SECRET], unsigned char point[CURVE_POINT]);
bool curve_has(const unsigned char point[CURVE_POINT]);
bool curve_share(const unsigned char secret[CURVE_SECRET], const unsigned char other[CURVE_POINT],
                 unsigned char shared[CURVE_SHARED]);
bool curve_sign(const unsigned char secret[CURVE_SECRET], struct text words,
                unsigned char signature[CURVE_SIGNATURE]);

#endif
