// Numbers in more than 64 bits: those from bit 64 on are 0, also of a negative number.
class Takes<bits<70> given> {
  bits<70> Given = given;
}
def X : Takes<1> {
  bits<70> Is = 5;
  bits<70> Negative = -1;
  bits<70> Late;
  let Late = 3;
  bits<70> Cast = !cast<bits<70>>(3);
  bits<66> Sum = !add(1, 2);
  bits<2> Top = Is{65-64};
  bits<70> Part;
  let Part{69-1} = 2;
  let Part{0} = 1;
}
