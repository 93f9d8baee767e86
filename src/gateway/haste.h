/* haste.h - clients hear of what is on the disk: what they wait for is hurried there.
 *
 * Text is gathered anyway; all else is there at once, or as soon as the disk was hurried long
 * enough ago.
 */
#ifndef GATEWAY_HASTE_H
#define GATEWAY_HASTE_H

struct gateway;
struct gateway_haste;

struct gateway_haste *gateway_haste_create(struct gateway *g);
void gateway_haste_destroy(struct gateway_haste *haste);

void gateway_haste_begin(struct gateway_haste *haste); /* the first client is there */
void gateway_haste_end(struct gateway_haste *haste);   /* the last one left */

#endif
