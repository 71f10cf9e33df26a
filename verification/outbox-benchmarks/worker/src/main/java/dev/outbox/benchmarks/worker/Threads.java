package dev.outbox.benchmarks.worker;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Runs the same work on several threads and waits for all of them. */
final class Threads {

    private Threads() {}

    static void run(int threads, IntConsumer work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            for (Future<Object> one : executor.invokeAll(IntStream.range(0, threads)
                    .mapToObj((thread) -> Executors.callable(() -> work.accept(thread)))
                    .toList())) {
                one.get();
            }
        } finally {
            executor.shutdown();
        }
    }
}
