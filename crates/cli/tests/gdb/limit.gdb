# count.s rv64 --max-steps 10
# The limit of instructions holds under a debugger.
continue
