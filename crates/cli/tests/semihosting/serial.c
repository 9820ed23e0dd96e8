/* Two lines come through the serial port by interrupt, one at the machine level and one at the supervisor's; both are sent back in upper case. */
#include <stdint.h>
#include <stdio.h>

#define UART ((volatile uint8_t *)0x10000000)
#define PLIC 0x0c000000ul
#define REGISTER(offset) (*(volatile uint32_t *)(PLIC + (offset)))
#define SOURCE 10
#define SEEN(what) printf("%s: %#x\n", #what, (unsigned)(what))

static volatile int lines, interrupts, causes;

static void take(int target)
{
    uint32_t source = REGISTER(0x200004 + 0x1000 * target);
    /* Nothing asks meanwhile: the next byte may be of the next line, which is for others. */
    UART[1] = 0;
    uint8_t byte = UART[0];
    UART[0] = byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
    interrupts++;
    causes |= source == SOURCE ? 1 : 2;
    REGISTER(0x200004 + 0x1000 * target) = source;
    if (byte == '\n')
        lines++;
    else
        UART[1] = 1;
}

__attribute__((interrupt("machine"), aligned(4))) static void machine(void)
{
    unsigned long cause;
    __asm__ volatile("csrr %0, mcause" : "=r"(cause));
    causes |= (cause & 15) == 11 ? 4 : 8;
    take(0);
}

__attribute__((interrupt("supervisor"), aligned(4))) static void supervisor(void)
{
    unsigned long cause;
    __asm__ volatile("csrr %0, scause" : "=r"(cause));
    causes |= (cause & 15) == 9 ? 16 : 32;
    take(1);
}

/* Waits with interrupts off, so that one that has just come is not lost. */
#define WAIT(status, bit, count)                                    \
    while (lines < (count)) {                                       \
        __asm__ volatile("wfi\n\tcsrsi " status ", " bit "\n\tcsrci " status ", " bit ::: "memory"); \
    }

static void go_down(void)
{
    __asm__ volatile(
        "csrw pmpaddr0, %0\n\tcsrw pmpcfg0, %1\n\t"
        "csrc mstatus, %2\n\tcsrs mstatus, %3\n\t"
        "la t0, 1f\n\tcsrw mepc, t0\n\tmret\n\t.balign 4\n1:"
        : : "r"(-1l), "r"(0x1f), "r"(3 << 11), "r"(1 << 11) : "t0", "memory");
}

int main(void)
{
    REGISTER(4 * SOURCE) = 1;
    REGISTER(0x2000) = 1 << SOURCE;
    REGISTER(0x200000) = 0;
    UART[3] = 3;
    UART[1] = 1;
    __asm__ volatile("csrw mtvec, %0\n\tcsrs mie, %1" : : "r"(machine), "r"(1 << 11));
    WAIT("mstatus", "8", 1)
    SEEN(causes);
    SEEN(interrupts > 0);

    causes = interrupts = 0;
    REGISTER(0x2000) = 0;
    REGISTER(0x2080) = 1 << SOURCE;
    REGISTER(0x201000) = 0;
    __asm__ volatile("csrc mie, %0\n\tcsrs mideleg, %1\n\tcsrw stvec, %2\n\tcsrs mie, %1"
                     : : "r"(1 << 11), "r"(1 << 9), "r"(supervisor));
    go_down();
    UART[1] = 1;
    WAIT("sstatus", "2", 2)
    SEEN(causes);
    SEEN(interrupts > 0);

    /* What the registers say when nothing has come: also of the port that is joined to itself. */
    UART[1] = 0;
    SEEN(UART[5]);
    SEEN(UART[2]);
    UART[1] = 2;
    SEEN(UART[2]);
    SEEN(UART[2]);
    UART[1] = 0;
    UART[3] = 0x83;
    UART[0] = 0x34;
    UART[1] = 0x12;
    SEEN(UART[0]);
    SEEN(UART[1]);
    UART[3] = 3;
    SEEN(UART[1]);
    UART[7] = 0x5a;
    SEEN(UART[7]);
    UART[4] = 0x1b;
    SEEN(UART[4]);
    SEEN(UART[6]);
    UART[0] = 'x';
    SEEN(UART[5] & 1);
    SEEN(UART[0]);
    SEEN(UART[5] & 1);
    UART[4] = 8;
    SEEN(UART[6]);
    UART[0] = '\n';
    return 5;
}
