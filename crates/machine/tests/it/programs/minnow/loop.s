# ends loop
# is r1 1
  li r1, 1
here:
  j here
