// Runs a command several times without its output, and prints the total cost: clock seconds, processor seconds, the largest
// memory in KiB, and the number of failed runs.
//
//   timed TIMES COMMAND…
//
// This is a small C program because the measured memory of a process includes the memory of the process that started it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t) { return t.tv_sec + t.tv_usec / 1e6; }

int main(int argc, char **argv)
{
    int times = argc > 2 ? atoi(argv[1]) : 0;
    if (times < 1) return 2;
    double clock = 0, processor = 0;
    long memory = 0;
    int failures = 0;
    for (int run = 0; run < times; run++) {
        struct timespec from, to;
        struct rusage used;
        int status;
        clock_gettime(CLOCK_MONOTONIC, &from);
        pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            int nowhere = open("/dev/null", O_RDWR);
            dup2(nowhere, 0);
            dup2(nowhere, 1);
            execvp(argv[2], argv + 2);
            _exit(127);
        }
        if (wait4(child, &status, 0, &used) < 0) return 1;
        clock_gettime(CLOCK_MONOTONIC, &to);
        clock += (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9;
        processor += seconds(used.ru_utime) + seconds(used.ru_stime);
        if (used.ru_maxrss > memory) memory = used.ru_maxrss;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failures++;
    }
    printf("%.6f %.6f %ld %d\n", clock, processor, memory, failures);
    return 0;
}
