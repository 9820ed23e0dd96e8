int
main(void)
{
   struct encode_state s = { .gen = GENERATION };
   uint64_t count, pair[2];

   while (fread(&count, 8, 1, stdin) == 1) {
      instruction = (ROOT){ 0 };
      link_data();
      s.instr = &instruction;
      for (; count > 0 && fread(pair, 16, 1, stdin) == 1; count--)
         set(&instruction, (unsigned)pair[0], pair[1]);
      const bitmask_t packed = encode__instruction(&s, NULL, &instruction);
      fwrite(packed.bitset, 4, BITMASK_WORDS, stdout);
   }
   return 0;
}
