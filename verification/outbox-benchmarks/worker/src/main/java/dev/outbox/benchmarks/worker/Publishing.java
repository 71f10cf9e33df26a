package dev.outbox.benchmarks.worker;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Thread-safe publisher that records committed events and their times. */
final class Publishing {

    private static final int BACKLOG_THREADS = 4;
    private static final int BACKLOG_BATCH = 500;

    private final Contestant contestant;
    private final Accounts accounts;
    private final Journal committed;
    private final AtomicInteger numbers = new AtomicInteger();

    Publishing(Contestant contestant, Accounts accounts, Journal committed) {
        this.contestant = contestant;
        this.accounts = accounts;
        this.committed = committed;
    }

    /**
     * Publishes a backlog in a few large transactions without domain changes, the events of each key in turn. A key belongs to one
     * thread.
     */
    void publishBacklog(int events, int firstKey, int keys) throws Exception {
        int first = numbers.getAndAdd(events);
        int threads = Math.min(BACKLOG_THREADS, keys);
        Threads.run(threads, (thread) -> {
            List<AccountChanged> batch = new ArrayList<>();
            for (int event = 0; event < events; event++) {
                int key = event % keys;
                if (key % threads == thread) {
                    batch.add(AccountChanged.of(first + event, firstKey + key, event / keys + 1L));
                }
                if (batch.size() == BACKLOG_BATCH) {
                    publishAll(batch);
                    batch = new ArrayList<>();
                }
            }
            publishAll(batch);
        });
    }

    private void publishAll(List<AccountChanged> events) {
        contestant.inTransaction(
                () -> contestant.publishAll(events),
                (at) -> events.forEach(
                        (event) -> committed.add(new Entry(event.number(), event.key(), event.seq(), at, at))));
    }

    /**
     * Publishes as fast as possible for some seconds.
     *
     * @param shared whether all events belong to one aggregate, while each thread changes its own account
     */
    Published publish(int threads, int keys, boolean shared, int seconds) throws Exception {
        int first = numbers.get();
        long begun = System.nanoTime();
        Threads.run(threads, (thread) -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (long now = begun; now < begun + seconds * 1_000_000_000L; now = System.nanoTime()) {
                int account = shared ? thread : random.nextInt(keys);
                publish(account, shared ? 0 : account, now);
            }
        });
        return new Published(first, numbers.get() - first, begun, System.nanoTime());
    }

    /**
     * Publishes at a steady rate. The next free thread publishes each due event, however slow the others are, so fewer
     * events cannot hide a slow moment.
     */
    Published publishAtRate(int rate, int threads, int keys, int seconds) throws Exception {
        int first = numbers.get();
        long begun = System.nanoTime();
        AtomicInteger slots = new AtomicInteger();
        Threads.run(threads, (thread) -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int slot = slots.getAndIncrement(); slot < rate * seconds; slot = slots.getAndIncrement()) {
                long due = begun + slot * 1_000_000_000L / rate;
                Pause.until(due);
                int account = random.nextInt(keys);
                publish(account, account, due);
            }
        });
        return new Published(first, numbers.get() - first, begun, System.nanoTime());
    }

    /** Changes an account and publishes an event of an aggregate in one transaction. */
    private void publish(int account, int key, long due) {
        int number = numbers.getAndIncrement();
        long[] version = new long[1];
        contestant.inTransaction(
                () -> {
                    version[0] = accounts.change(account);
                    contestant.publish(AccountChanged.of(number, key, version[0]));
                },
                (at) -> committed.add(new Entry(number, key, version[0], due, at)));
    }
}
