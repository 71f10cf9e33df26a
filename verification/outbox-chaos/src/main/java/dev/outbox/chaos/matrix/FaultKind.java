package dev.outbox.chaos.matrix;

/** What happens to the process that has reached a fault point. */
enum FaultKind {
    /** SIGKILL. */
    KILL,
    /** SIGSTOP for longer than the lease, then SIGCONT. */
    SUSPEND,
    /** The server ends every session of the process. */
    CUT,
    /** The server crashes, and forgets the asynchronous commits that it has not written yet. */
    CRASH
}
