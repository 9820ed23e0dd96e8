/* Timers and waiting for signals: alarm, setitimer once and again, pause, sigsuspend, sleep that is cut short, all with one thread and with two. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t alarms, others;

static void on_alarm(int number) { alarms += number == SIGALRM; others += number != SIGALRM; }

static void set(int which, long micros, long again)
{
    struct itimerval value = { { 0, again }, { 0, micros } };
    printf("set %d\n", setitimer(which, &value, NULL));
}

static void *idles(void *argument)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    struct timespec time = { 0, 60000000 };
    printf("slept %d\n", nanosleep(&time, NULL));
    return NULL;
}

static void one_round(void)
{
    set(ITIMER_REAL, 10000, 0);
    printf("pause %d, %d\n", pause(), errno == EINTR);
    printf("alarms %d\n", (int)alarms);
    set(ITIMER_REAL, 5000, 5000);
    while (alarms < 4)
        ;
    struct itimerval now, none = { { 0, 0 }, { 0, 0 } };
    printf("get %d\n", getitimer(ITIMER_REAL, &now));
    printf("interval %ld, some is left %d\n", (long)now.it_interval.tv_usec, now.it_value.tv_usec > 0 && now.it_value.tv_usec <= 5000);
    printf("stop %d\n", setitimer(ITIMER_REAL, &none, &now));
    printf("interval %ld\n", (long)now.it_interval.tv_usec);
    getitimer(ITIMER_REAL, &now);
    printf("left %ld\n", (long)now.it_value.tv_usec);
    alarms = 0;
    set(ITIMER_REAL, 10000, 0);
    struct timespec time = { 5, 0 };
    printf("nanosleep %d, %d\n", nanosleep(&time, NULL), errno == EINTR);
    set(ITIMER_REAL, 10000, 0);
    printf("poll %d, %d\n", poll(NULL, 0, 5000), errno == EINTR);
    printf("poll %d\n", poll(NULL, 0, 1));
    struct timeval little = { 0, 1000 };
    printf("select %d\n", select(0, NULL, NULL, NULL, &little));
    sigset_t blocked, before, empty;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    set(ITIMER_REAL, 1000, 0);
    time.tv_sec = 0;
    time.tv_nsec = 20000000;
    printf("blocked %d\n", nanosleep(&time, NULL));
    printf("alarms %d\n", (int)alarms);
    sigemptyset(&empty);
    printf("suspend %d, %d\n", sigsuspend(&empty), errno == EINTR);
    printf("alarms %d\n", (int)alarms);
    sigprocmask(SIG_SETMASK, &before, &empty);
    printf("blocked again %d\n", sigismember(&empty, SIGALRM));
    alarms = 0;
}

int main(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    struct itimerval wrong = { { 0, 0 }, { 0, 1000000 } };
    printf("wrong %d, %d\n", setitimer(ITIMER_REAL, &wrong, NULL), errno == EINVAL);
    printf("wrong %d, %d\n", setitimer(7, &wrong, NULL), errno == EINVAL);
    one_round();
    pthread_t thread;
    pthread_create(&thread, NULL, idles, NULL);
    pthread_join(thread, NULL);
    printf("alarm %u\n", alarm(100));
    printf("alarm %u\n", alarm(0));
    signal(SIGALRM, SIG_IGN);
    set(ITIMER_REAL, 1000, 0);
    struct timespec time = { 0, 5000000 };
    printf("ignored %d\n", nanosleep(&time, NULL));
    return 0;
}
