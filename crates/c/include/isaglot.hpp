// The C library of Isaglot for C++11.
#ifndef ISAGLOT_HPP
#define ISAGLOT_HPP

#include "isaglot.h"

#endif  // ISAGLOT_HPP
