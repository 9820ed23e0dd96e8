/* What the driver's own header declares; linked with every program. */
#include "compiler/isaspec/isaspec.h"

#include <stdarg.h>

void
isa_print(struct isa_print_state *state, const char *fmt, ...)
{
   char text[256];
   va_list args;

   va_start(args, fmt);
   vsnprintf(text, sizeof(text), fmt, args);
   va_end(args);
   for (const char *c = text; *c; c++) {
      fputc(*c, state->out);
      state->line_column = *c == '\n' ? 0 : state->line_column + 1;
   }
}
