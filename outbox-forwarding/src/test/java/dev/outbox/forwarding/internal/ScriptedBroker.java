package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Fault.Scope;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Broker that answers as a test says. The message {@code "a1"} is the first one of the aggregate {@code a}; upper-case aggregates share the
 * unit of lower-case ones, {@code x} has a destination of its own, and
 * {@code ?} none.
 */
final class ScriptedBroker implements MessageTarget<String> {

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Map<String, CompletableFuture<Void>> open = new ConcurrentHashMap<>();
    private volatile String silentUnits = "";
    private volatile CountDownLatch metadata = new CountDownLatch(0);
    private volatile int replacements;

    /** Acknowledges messages at once, but those of the given units. */
    void silence(String units) {
        silentUnits = units;
    }

    /** Answers no question about the destination {@code x} until the latch is released. */
    CountDownLatch block() {
        metadata = new CountDownLatch(1);
        return metadata;
    }

    void acknowledge(String message) {
        open.get(message).complete(null);
    }

    void fail(String message, RuntimeException failure) {
        open.get(message).completeExceptionally(failure);
    }

    /** Returns the messages that were sent, in order. */
    List<String> sent() {
        return sent;
    }

    int replacements() {
        return replacements;
    }

    @Override
    public String destination(String message) {
        if (message.startsWith("?")) {
            throw new IllegalArgumentException("no destination");
        }
        return message.startsWith("x") ? "x" : "orders";
    }

    @Override
    public Object unit(String message) {
        try {
            if (message.startsWith("x") && !metadata.await(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("the test has ended");
            }
        } catch (InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
        return message.substring(0, 1).toLowerCase(Locale.ROOT);
    }

    @Override
    public CompletionStage<?> send(String message) {
        sent.add(message);
        CompletableFuture<Void> answer = new CompletableFuture<>();
        open.put(message, answer);
        if (!silentUnits.contains(unit(message).toString())) {
            answer.complete(null);
        }
        return answer;
    }

    @Override
    public Fault classify(String message, Throwable failure) {
        return Fault.ofEnvironment(Scope.UNIT, String.valueOf(failure.getMessage()), failure);
    }

    @Override
    public void replace() {
        replacements++;
    }
}
