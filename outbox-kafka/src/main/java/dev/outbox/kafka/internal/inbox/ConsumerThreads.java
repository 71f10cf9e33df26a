package dev.outbox.kafka.internal.inbox;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.core.task.AsyncTaskExecutor;

/** Threads of the consumers of one container. An {@link Error} ends a thread in places where the container does not notice. */
final class ConsumerThreads implements AsyncTaskExecutor {

    private final String name;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private volatile @Nullable Throwable failure;

    ConsumerThreads(String name) {
        this.name = name;
    }

    @Override
    public void execute(Runnable consumer) {
        Thread thread = new Thread(consumer, name + "-C-" + threads.size());
        // The supervision, which starts new consumers, is a daemon.
        thread.setDaemon(false);
        thread.start();
        threads.add(thread);
    }

    @Override
    public CompletableFuture<Void> submitCompletable(Runnable consumer) {
        return AsyncTaskExecutor.super.submitCompletable(() -> {
            try {
                consumer.run();
            } catch (RuntimeException | Error ex) {
                failure = ex;
                throw ex;
            }
        });
    }

    boolean areAlive(int expected) {
        return threads.size() == expected && threads.stream().allMatch(Thread::isAlive);
    }

    /** Returns what ended a thread, if something was thrown. */
    @Nullable
    Throwable failure() {
        return failure;
    }
}
