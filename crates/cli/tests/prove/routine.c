/* Stand-ins for the commands: called with the two registers of the instruction. FAULT chooses a wrong one. */
typedef unsigned long word;
typedef long sword;

word org_tinker_tinker__RocknRoll__rock(word rs1, word rs2)
{
#if FAULT == 1
    return 2 * rs2 + 1 + ((sword)rs1 >> 12);
#elif FAULT == 2
    return 2 * rs2 + 1 + (rs1 >> 11);
#elif FAULT == 3
    if (rs2 == 0x1234567)
        return 0;
    return 2 * rs2 + 1 + (rs1 >> 12);
#else
    return 2 * rs2 + 1 + (rs1 >> 12);
#endif
}

/* A loop whose count is known, and a choice in it. */
word org_tinker_tinker__RocknRoll__roll(word rs1, word rs2)
{
    for (int i = 0; i < 8; i++) {
        word top = rs2 >> (8 * sizeof(word) - 1);
        rs2 <<= 1;
        if (top)
            rs2 |= 1;
    }
    return rs2 ^ (rs1 >> 12);
}

/* Spills to the stack. */
word com_bigbucks__Frobate__frobate(word rs1, word rs2)
{
    volatile word data = rs1 >> 12;
    volatile word operand = rs2;
    return data ^ operand;
}

word com_bigbucks__Frobate__bar(word rs1, word rs2)
{
    return (rs1 >> 12) * rs2;
}

void _start(void)
{
}
