package dev.outbox.chaos.process;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What the handlers of a worker do. It depends on the event id only, so that every process agrees on it. */
public final class WorkerHandlers {

    /** Aggregate type of the events that a retry storm concerns. */
    public static final String STORMY = Traffic.PAYMENT;

    /** Event type whose handlers take seconds at times, so that its stream waits for itself. */
    public static final String LENGTHY = Traffic.CLOSED;

    /** The delays before retries, as the application configures them. */
    private static final List<Duration> RETRY_DELAYS =
            List.of(Duration.ofMillis(200), Duration.ofMillis(500), Duration.ofSeconds(1));

    static final String BOOKING = "booking";
    static final String FLAKY = "flaky";

    /** A delay as a remote header may ask for. */
    private static final Duration ABSURD = Duration.ofSeconds(9_999_999_999_999_999L);

    private final BusinessTables tables;
    private final AtomicLong held = new AtomicLong();

    WorkerHandlers(BusinessTables tables) {
        this.tables = tables;
    }

    /** Returns the longest delay after a failed attempt; attempts that a crash cut short count, and do not make the delay longer. */
    public static Duration delayAfter(int attempt) {
        return RETRY_DELAYS.get(Math.min(attempt, RETRY_DELAYS.size()) - 1);
    }

    /** What is decoded from the payload. */
    record Amount(int amount) {}

    /** Makes the next transaction on the stream without concurrency take longer. */
    void holdNextTransaction(long millis) {
        held.set(millis);
    }

    void book(EventEnvelope event) throws InterruptedException {
        if (chance(event, 100) == 0) {
            throw new IllegalStateException("The booking of one event in a hundred always fails");
        }
        tables.book(event.eventId(), BOOKING);
        if (event.eventType().equals(Traffic.OPENED) && held.get() > 0) {
            hold(Duration.ofMillis(held.getAndSet(0)));
        }
    }

    /** Throws an error for one event in 500. */
    static void throwAtTimes(EventEnvelope event) {
        if (chance(event, 500) == 7) {
            throw new AssertionError("The handler throws an error for one event in 500");
        }
    }

    /** Fails with every kind of failure: one that passes, one that does not, and one that says when to come back. */
    static void failAtTimes(Amount amount, EventEnvelope event) {
        switch (chance(event, 200)) {
            case 0 -> throw new NonRetryableException("One event in 200 is refused");
            case 1 -> throw new IllegalStateException("One event in 200 always fails");
            case 2, 3, 4, 5 -> failOnce("Some events fail for a second");
            case 6 -> throw new RetryAfterException(Duration.ofMillis(300), "Come back later");
            default -> beHostileAtTimes(event);
        }
    }

    /** What no handler should throw. Behind an absurd delay, the events of a busy aggregate would wait for the end of the run. */
    private static void beHostileAtTimes(EventEnvelope event) {
        switch (chance(event, 1000)) {
            case 11 -> throw new AssertionError("One event in 1000 fails with an error");
            case 12 -> throw new MuteException();
            case 13, 14, 15 -> {
                if (!event.aggregateId().startsWith("hot-")) {
                    throw new RetryAfterException(ABSURD, "Come back when the sun is cold");
                }
            }
            default -> {}
        }
    }

    /** Exception that throws when it is asked for its message. */
    static final class MuteException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("This exception has no message");
        }
    }

    private static void failOnce(String message) {
        if (System.nanoTime() / Duration.ofSeconds(1).toNanos() % 2 == 0) {
            throw new IllegalStateException(message);
        }
    }

    static void takeLong(EventEnvelope event) throws InterruptedException {
        hold(Duration.ofMillis(chance(event, 40) == 0 ? 4000 : 20));
    }

    static void hangAtTimes(EventEnvelope event, int attempt) throws InterruptedException {
        if (attempt == 1 && chance(event, 30) == 0) {
            hold(Duration.ofHours(1));
        }
    }

    /** Waits, unless it is interrupted. */
    public static void hold(Duration time) throws InterruptedException {
        boolean released = new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
        if (released) {
            throw new IllegalStateException("Nothing releases this latch");
        }
    }

    static int chance(EventEnvelope event, int of) {
        return Math.floorMod(event.eventId().hashCode(), of);
    }
}
