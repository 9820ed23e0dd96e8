include "classes.inc"
def E : GenericEnum { let FilterClass = "Missing"; }
