package dev.outbox.benchmarks.arena;

/**
 * What a run has used up.
 *
 * @param nanos at which time, or in how much of it
 * @param walBytes what the server has written to its log
 * @param serverCpuNanos processor time of the server
 * @param workerCpuNanos processor time of the contestant's processes
 */
public record Usage(long nanos, long walBytes, long serverCpuNanos, long workerCpuNanos) {

    /**
     * Returns what was used since.
     *
     * @param before the beginning
     * @return the differences
     */
    public Usage since(Usage before) {
        return new Usage(
                nanos - before.nanos,
                walBytes - before.walBytes,
                serverCpuNanos - before.serverCpuNanos,
                workerCpuNanos - before.workerCpuNanos);
    }
}
