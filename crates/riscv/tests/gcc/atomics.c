// Atomic operations and fences.
static int lock; int counter; long big;
void enter(void) { while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {} }
void leave(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }
int add(int n) { return __atomic_fetch_add(&counter, n, __ATOMIC_SEQ_CST); }
int also(int n) { return __atomic_fetch_and(&counter, n, __ATOMIC_RELAXED) | __atomic_or_fetch(&counter, n, __ATOMIC_ACQ_REL); }
int swap(int old, int new) { return __atomic_compare_exchange_n(&counter, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED); }
long load(void) { return __atomic_load_n(&big, __ATOMIC_SEQ_CST); }
void fence(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); __atomic_thread_fence(__ATOMIC_ACQUIRE); __atomic_signal_fence(__ATOMIC_SEQ_CST); }
long most(long n) { long o = __atomic_load_n(&big, __ATOMIC_RELAXED); while (o < n && !__atomic_compare_exchange_n(&big, &o, n, 1, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {} return o; }
