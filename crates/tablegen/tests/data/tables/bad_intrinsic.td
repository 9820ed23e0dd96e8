include "classes.inc"
class Intrinsic { string LLVMName = ""; string TargetPrefix = ""; bit isTarget = 0; }
def wrong : Intrinsic;
class R<Intrinsic i> { Intrinsic I = i; }
def : R<wrong>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["I"]; }
