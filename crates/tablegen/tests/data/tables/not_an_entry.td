include "classes.inc"
class C;
class D : C;
def X : C;
def E : GenericEnum { let FilterClass = "D"; }
def Y : D;
class R<C c> { C N = c; }
def A : R<X>;
def B : R<Y>;
def T : GenericTable { let FilterClass = "R"; let Fields = ["N"]; string TypeOf_N = "E"; }
