include "classes.inc"
class HwMode;
class HwModeSelect;
class Target;
class Instruction { bit isPseudo = 0; string Namespace = "X"; }
def A : Instruction;
class R<Instruction i> { Instruction I = i; }
def : R<A>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["I"]; }
