package dev.outbox.benchmarks.worker;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

/** Thread-safe publisher that records committed events and their times. */
final class Publishing {

    private final Contestant contestant;
    private final Transactions transactions;
    private final Journal committed;
    private final AtomicInteger numbers = new AtomicInteger();

    Publishing(Contestant contestant, Journal committed) {
        this.contestant = contestant;
        this.transactions = contestant.transactions();
        this.committed = committed;
    }

    /** The number that the next event will have. */
    int next() {
        return numbers.get();
    }

    /**
     * Changes an account and publishes an event in one transaction. The event's key differs from the account if many
     * publishers share an aggregate.
     */
    void publish(int account, int key, long due) throws Exception {
        int number = numbers.getAndIncrement();
        long[] version = new long[1];
        transactions.run(
                (connection) -> {
                    version[0] = Accounts.change(connection, account);
                    contestant.publish(connection, AccountChanged.of(number, key, version[0]));
                },
                (at) -> committed.add(new Entry(number, key, version[0], due, at)));
    }

    /** Publishes a backlog in a few large transactions without domain changes. */
    void publish(Backlog backlog) throws Exception {
        int first = numbers.getAndAdd(backlog.events());
        Threads.run(backlog.threads(), (thread) -> {
            List<AccountChanged> batch = new ArrayList<>();
            for (int event = 0; event < backlog.events(); event++) {
                int key = event % backlog.keys();
                if (key % backlog.threads() == thread) {
                    batch.add(AccountChanged.of(first + event, backlog.firstKey() + key, event / backlog.keys() + 1L));
                }
                if (batch.size() == backlog.batch()) {
                    publishAll(batch);
                    batch = new ArrayList<>();
                }
            }
            publishAll(batch);
        });
    }

    private void publishAll(List<AccountChanged> events) throws Exception {
        transactions.run((Connection connection) -> contestant.publishAll(connection, events), committed(events));
    }

    private LongConsumer committed(List<AccountChanged> events) {
        return (at) ->
                events.forEach((event) -> committed.add(new Entry(event.number(), event.key(), event.seq(), at, at)));
    }

    /**
     * Backlog of events, of each key in turn.
     *
     * @param events the number of events
     * @param firstKey the lowest key
     * @param keys the number of keys
     * @param threads the number of publishing threads, each with its own keys
     * @param batch the number of events of a transaction
     */
    record Backlog(int events, int firstKey, int keys, int threads, int batch) {}

    /**
     * Publishing threads and their accounts.
     *
     * @param threads the number of threads
     * @param keys the number of accounts
     * @param shared whether all events belong to one aggregate, while each thread changes its own account
     */
    record Publishers(int threads, int keys, boolean shared) {}

    /** Publishes as fast as possible until a deadline. */
    void publishUntil(long deadline, Publishers publishers) throws Exception {
        Threads.run(publishers.threads(), (thread) -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (long now = System.nanoTime(); now < deadline; now = System.nanoTime()) {
                int account = publishers.shared() ? thread : random.nextInt(publishers.keys());
                publish(account, publishers.shared() ? 0 : account, now);
            }
        });
    }

    /**
     * Publishes at a steady rate. The next free thread publishes each due event, however slow the others are, so fewer
     * events cannot hide a slow moment.
     */
    void publishAtRate(int rate, int seconds, Publishers publishers) throws Exception {
        long begun = System.nanoTime();
        AtomicInteger slots = new AtomicInteger();
        Threads.run(publishers.threads(), (thread) -> {
            SplittableRandom random = new SplittableRandom(thread);
            for (int slot = slots.getAndIncrement(); slot < rate * seconds; slot = slots.getAndIncrement()) {
                long due = begun + slot * 1_000_000_000L / rate;
                Pause.until(due);
                int account = random.nextInt(publishers.keys());
                publish(account, account, due);
            }
        });
    }
}
