package dev.outbox.benchmarks.arena;

/**
 * Resources that a run has used.
 *
 * @param nanos the time of the measurement, or its duration
 * @param walBytes the WAL that the server has written
 * @param serverCpuNanos the processor time of the server
 * @param workerCpuNanos the processor time of the contestant's processes
 */
public record Usage(long nanos, long walBytes, long serverCpuNanos, long workerCpuNanos) {

    /** Returns the resources used since an earlier measurement. */
    public Usage since(Usage before) {
        return new Usage(
                nanos - before.nanos,
                walBytes - before.walBytes,
                serverCpuNanos - before.serverCpuNanos,
                workerCpuNanos - before.workerCpuNanos);
    }
}
