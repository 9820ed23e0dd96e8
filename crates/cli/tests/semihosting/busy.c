/* Bytes come through the serial port while the program computes, so that its hot loop is left for interrupts; then while it polls. */
#include <stdint.h>
#include <stdio.h>

#define UART ((volatile uint8_t *)0x10000000)
#define REGISTER(offset) (*(volatile uint32_t *)(0x0c000000ul + (offset)))
#define SOURCE 10

static volatile int lines;

__attribute__((interrupt("machine"), aligned(4))) static void take(void)
{
    uint32_t source = REGISTER(0x200004);
    UART[1] = 0;
    uint8_t byte = UART[0];
    UART[0] = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    REGISTER(0x200004) = source;
    if (byte == '\n')
        lines++;
    else
        UART[1] = 1;
}

/* A step of what is computed. */
static inline uint32_t next(uint32_t state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^ state << 5;
}

int main(void)
{
    REGISTER(4 * SOURCE) = 1;
    REGISTER(0x2000) = 1 << SOURCE;
    REGISTER(0x200000) = 0;
    UART[3] = 3;

    /* So that the loop is hot before anything can come. */
    uint32_t state = 1, count = 0;
    while (count < 100000) {
        state = next(state);
        count++;
    }
    printf("%#x\n", (unsigned)state);

    UART[1] = 1;
    __asm__ volatile("csrw mtvec, %0\n\tcsrs mie, %1\n\tcsrsi mstatus, 8" : : "r"(take), "r"(1 << 11));
    while (lines < 1 || count % 1000 != 0) {
        state = next(state);
        count++;
    }
    __asm__ volatile("csrci mstatus, 8");

    /* However often it was left, it has computed the same as without interrupts. */
    uint32_t again = 1;
    for (uint32_t i = 0; i < count; i++)
        again = next(again);
    printf("lines: %d, equal: %d\n", lines, again == state);

    for (uint8_t byte = 0; byte != '\n';) {
        if (UART[5] & 1) {
            byte = UART[0];
            UART[0] = byte;
        }
    }
    return 7;
}
