/* Threads: mutexes, conditions, barriers, keys, names, cancelling, signals to one, pipes between them, and what is left when they end. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sched.h>

#define COUNT 4
#define ROUNDS 2000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static long sum, turn;
static atomic_long atomics;
static __thread long own;
static double results[COUNT];

static void *adds(void *argument)
{
    long number = (long)argument;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        long before = sum;
        for (volatile int j = 0; j < 3; j++)
            ;
        sum = before + number;
        pthread_mutex_unlock(&mutex);
        atomics++;
        own++;
    }
    pthread_barrier_wait(&barrier);
    double x = number;
    for (int i = 0; i < 5000; i++)
        x = x * 1.0001 + 1.0 / (i + number);
    results[number - 1] = x;
    return (void *)(own * number);
}

static void *takes_turns(void *argument)
{
    long number = (long)argument;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&mutex);
        while (turn % COUNT != number)
            pthread_cond_wait(&changed, &mutex);
        printf("turn %ld: thread %ld\n", turn, number);
        turn++;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

static int ends[2];

static void *reads(void *argument)
{
    char text[64];
    ssize_t length, all = 0;
    while ((length = read(ends[0], text, sizeof text)) > 0)
        all += length;
    return (void *)all;
}

static sem_t semaphore;
static volatile sig_atomic_t signals;
static pthread_t signalled;

static void on_signal(int number)
{
    signals += number == SIGUSR1 && pthread_equal(pthread_self(), signalled);
}

static void *waits_for_signal(void *argument)
{
    struct timespec time = { 5, 0 };
    sem_post(&semaphore);
    int result = nanosleep(&time, NULL);
    return (void *)(long)(result == -1 && errno == EINTR);
}

static void clean(void *argument)
{
    printf("cleaned up: %s\n", (char *)argument);
}

static void *is_cancelled(void *argument)
{
    pthread_cleanup_push(clean, "cancelled");
    sem_post(&semaphore);
    for (;;)
        sleep(10);
    pthread_cleanup_pop(0);
    return NULL;
}

static pthread_key_t key;
static void destroy(void *value) { printf("key's value %ld is gone\n", (long)value); }
static void *has_key(void *argument)
{
    pthread_setspecific(key, argument);
    return pthread_getspecific(key);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void only_once(void) { printf("once\n"); }
static void *calls_once(void *argument) { pthread_once(&once, only_once); sched_yield(); return NULL; }

static void *recursive(void *argument)
{
    pthread_mutex_t *own_mutex = argument;
    int result = pthread_mutex_trylock(own_mutex);
    return (void *)(long)(result == EBUSY);
}

static void *lasts(void *argument)
{
    struct timespec time = { 0, 2000000 };
    nanosleep(&time, NULL);
    printf("the last thread\n");
    fflush(stdout);
    return NULL;
}

int main(void)
{
    pthread_t threads[COUNT];
    void *result;
    pthread_barrier_init(&barrier, NULL, COUNT);
    for (long i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, adds, (void *)(i + 1));
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], &result);
        printf("thread %d: %ld, %.9f\n", i, (long)result, results[i]);
    }
    printf("sum %ld, atomics %ld, own %ld\n", sum, (long)atomics, own);

    for (long i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, takes_turns, (void *)i);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);

    if (pipe(ends))
        return 1;
    pthread_create(&threads[0], NULL, reads, NULL);
    static char block[100000];
    printf("written %zd\n", write(ends[1], block, sizeof block));
    close(ends[1]);
    pthread_join(threads[0], &result);
    printf("read %ld\n", (long)result);

    sem_init(&semaphore, 0, 0);
    struct sigaction action = { .sa_handler = on_signal };
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&signalled, NULL, waits_for_signal, NULL);
    sem_wait(&semaphore);
    struct timespec little = { 0, 20000000 };
    nanosleep(&little, NULL);
    pthread_kill(signalled, SIGUSR1);
    pthread_join(signalled, &result);
    printf("interrupted %ld, signals %d\n", (long)result, (int)signals);

    pthread_create(&threads[0], NULL, is_cancelled, NULL);
    sem_wait(&semaphore);
    pthread_cancel(threads[0]);
    pthread_join(threads[0], &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);

    pthread_key_create(&key, destroy);
    pthread_create(&threads[0], NULL, has_key, (void *)77);
    pthread_join(threads[0], &result);
    printf("key %ld, here %p\n", (long)result, pthread_getspecific(key));

    for (int i = 0; i < COUNT; i++)
        pthread_create(&threads[i], NULL, calls_once, NULL);
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);

    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_t again;
    pthread_mutex_init(&again, &attributes);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&again);
    pthread_create(&threads[0], NULL, recursive, &again);
    pthread_join(threads[0], &result);
    printf("busy %ld\n", (long)result);

    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 5000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&mutex);
    int timed = pthread_cond_timedwait(&changed, &mutex, &until);
    pthread_mutex_unlock(&mutex);
    printf("timed out %d, %d\n", timed == ETIMEDOUT, sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);

    pthread_create(&threads[0], NULL, lasts, NULL);
    pthread_detach(threads[0]);
    fflush(stdout);
    pthread_exit(NULL);
}
