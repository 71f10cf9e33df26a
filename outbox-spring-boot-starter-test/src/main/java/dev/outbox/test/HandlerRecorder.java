package dev.outbox.test;

import dev.outbox.HandlerInterceptor;
import dev.outbox.listener.OutboxListener;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Records what the handlers did, and fails the attempts that a test wants to fail. The innermost interceptor. */
@Order(Ordered.LOWEST_PRECEDENCE)
final class HandlerRecorder implements HandlerInterceptor, OutboxListener {

    private final Map<String, Queue<Exception>> failures = new HashMap<>();
    private final Map<String, Set<UUID>> handled = new HashMap<>();
    private final List<DrainResult.Attempt> attempts = new ArrayList<>();
    private final Map<Delivery, Failure> failed = new HashMap<>();
    private final Map<Delivery, Boolean> seen = new HashMap<>();
    private boolean failuresExpected;
    private long activity;

    @Override
    public synchronized void handled(Attempt attempt, Result result, Duration duration) {
        activity++;
        attempts.add(new DrainResult.Attempt(attempt.handlerId(), attempt.eventType(), result));
    }

    @Override
    public synchronized void published(String stream, int events) {
        activity++;
    }

    @Override
    public synchronized void unrouted(String stream) {
        activity++;
    }

    @Override
    public synchronized void claimed(String stream, Duration duration, int events) {
        activity += events;
    }

    @Override
    public void intercept(HandlerInterceptor.Call call, Chain chain) throws Exception {
        Exception failure = nextFailure(call.handlerId());
        try {
            if (failure != null) {
                throw failure;
            }
            chain.proceed();
        } catch (Throwable ex) {
            addFailed(call, new Failure(ex, failure != null));
            throw ex;
        }
        addHandled(call);
    }

    private synchronized void addFailed(HandlerInterceptor.Call call, Failure failure) {
        call.events().forEach((event) -> failed.put(new Delivery(call.handlerId(), event.eventId()), failure));
    }

    private synchronized @Nullable Exception nextFailure(String handlerId) {
        Queue<Exception> pending = failures.get(handlerId);
        return pending == null ? null : pending.poll();
    }

    private synchronized void addHandled(HandlerInterceptor.Call call) {
        Set<UUID> events = handled.computeIfAbsent(call.handlerId(), (id) -> new LinkedHashSet<>());
        call.events().forEach((event) -> {
            events.add(event.eventId());
            failed.remove(new Delivery(call.handlerId(), event.eventId()));
        });
    }

    synchronized void failNext(String handlerId, Exception exception) {
        failures.computeIfAbsent(handlerId, (id) -> new ArrayDeque<>()).add(exception);
    }

    synchronized void expectFailures() {
        failuresExpected = true;
    }

    /** Records that the test has seen that a delivery is retried, or dead. A delivery that was seen dead may be retried by an operator. */
    synchronized void see(UUID eventId, UnfinishedDelivery delivery) {
        seen.merge(new Delivery(delivery.handlerId(), eventId), delivery.dead(), Boolean::logicalOr);
    }

    /** Returns whether an attempt has failed, and the test does not expect all failures. */
    synchronized boolean mayHaveUnexpectedFailures() {
        return !failuresExpected && attempts.stream().anyMatch((attempt) -> attempt.result() != Result.SUCCESS);
    }

    /** Returns whether the test has neither caused nor seen a failure. */
    synchronized boolean isUnexpected(FailedDelivery failure) {
        Delivery delivery = new Delivery(failure.delivery().handlerId(), failure.eventId());
        Failure last = failed.get(delivery);
        Boolean seenDead = seen.get(delivery);
        boolean expected = seenDead != null && (seenDead || !failure.delivery().dead());
        return !(last != null && last.injected()) && !expected;
    }

    /** Returns what the handler threw last, if the handler itself failed. */
    synchronized @Nullable Throwable exceptionOf(FailedDelivery failure) {
        Failure last = failed.get(new Delivery(failure.delivery().handlerId(), failure.eventId()));
        return last == null ? null : last.exception();
    }

    /** Describes the failures that no attempt has used. */
    synchronized List<String> unusedFailures() {
        return failures.entrySet().stream()
                .flatMap((pending) ->
                        pending.getValue().stream().map((exception) -> pending.getKey() + ": " + exception))
                .sorted()
                .toList();
    }

    /** Returns the handlers that have handled an event. */
    synchronized Set<String> handlersOf(UUID eventId) {
        Set<String> handlers = new LinkedHashSet<>();
        handled.forEach((handlerId, events) -> {
            if (events.contains(eventId)) {
                handlers.add(handlerId);
            }
        });
        return handlers;
    }

    /** Returns a number that grows with everything that the outbox does. */
    synchronized long activity() {
        return activity;
    }

    synchronized int attemptCount() {
        return attempts.size();
    }

    /** Returns the attempts from the given one on. */
    synchronized List<DrainResult.Attempt> attemptsFrom(int first) {
        return List.copyOf(attempts.subList(first, attempts.size()));
    }

    synchronized void clear() {
        failures.clear();
        handled.clear();
        attempts.clear();
        failed.clear();
        seen.clear();
        failuresExpected = false;
    }

    private record Delivery(String handlerId, UUID eventId) {}

    private record Failure(Throwable exception, boolean injected) {}
}
