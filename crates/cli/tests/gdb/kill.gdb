# count.s rv64
# The debugger ends the program.
break square
continue
kill
