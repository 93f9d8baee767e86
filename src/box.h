/* box.h - the running program. */
#ifndef BOX_H
#define BOX_H

#include "config/serve.h"

box_run_fn box_run;
box_check_fn box_check;

#endif
