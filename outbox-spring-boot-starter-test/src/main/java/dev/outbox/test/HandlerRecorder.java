package dev.outbox.test;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerInterceptor;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.listener.OutboxListener;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Records what the handlers did, and fails the attempts that a test wants to fail. The innermost interceptor. */
@Order(Ordered.LOWEST_PRECEDENCE)
final class HandlerRecorder implements HandlerInterceptor, OutboxListener, FailureObserver {

    private final Map<String, Queue<Exception>> failures = new HashMap<>();
    private final Map<String, Set<UUID>> handled = new HashMap<>();
    private final List<DrainResult.Attempt> attempts = new ArrayList<>();
    private final Set<Delivery> injected = new HashSet<>();
    private final Map<Delivery, Throwable> exceptions = new HashMap<>();
    private final Map<Delivery, Throwable> methodExceptions = new HashMap<>();
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
        Exception failure = nextFailure(call);
        if (failure != null) {
            throw failure;
        }
        chain.proceed();
        addHandled(call);
    }

    private synchronized @Nullable Exception nextFailure(HandlerInterceptor.Call call) {
        Queue<Exception> pending = failures.get(call.handlerId());
        Exception failure = pending == null ? null : pending.poll();
        Set<Delivery> deliveries = call.events().stream()
                .map((event) -> new Delivery(call.handlerId(), event.eventId()))
                .collect(Collectors.toSet());
        if (failure == null) {
            injected.removeAll(deliveries);
        } else {
            injected.addAll(deliveries);
        }
        return failure;
    }

    private synchronized void addHandled(HandlerInterceptor.Call call) {
        Set<UUID> events = handled.computeIfAbsent(call.handlerId(), (id) -> new LinkedHashSet<>());
        call.events().forEach((event) -> events.add(event.eventId()));
    }

    @Override
    public synchronized void handlerFailed(String handlerId, EventEnvelope event, Throwable exception) {
        exceptions.put(new Delivery(handlerId, event.eventId()), exception);
    }

    @Override
    public synchronized void deadLetterMethodFailed(DeadLetter letter, Throwable exception) {
        methodExceptions.put(new Delivery(letter.handlerId(), letter.event().eventId()), exception);
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

    /** Returns whether an attempt or a dead-letter method has failed, and the test does not expect all failures. */
    synchronized boolean mayHaveUnexpectedFailures() {
        return !failuresExpected
                && (!methodExceptions.isEmpty()
                        || attempts.stream().anyMatch((attempt) -> attempt.result() != Result.SUCCESS));
    }

    /** Returns whether a handler has failed, the test has neither caused nor seen it, and no dead-letter method was called. */
    synchronized boolean isUnexpected(FailedDelivery failure) {
        Delivery delivery = Delivery.of(failure);
        Boolean seenDead = seen.get(delivery);
        boolean expected = seenDead != null && (seenDead || !failure.delivery().dead());
        return !expected && !injected.contains(delivery) && methodExceptionOf(failure) == null;
    }

    /** Returns the exception of the last attempt, if there was one. */
    synchronized @Nullable Throwable exceptionOf(FailedDelivery failure) {
        return exceptions.get(Delivery.of(failure));
    }

    /** Returns why the last call of the dead-letter method failed, if it did. */
    synchronized @Nullable Throwable methodExceptionOf(FailedDelivery failure) {
        return failure.delivery().dead() ? methodExceptions.get(Delivery.of(failure)) : null;
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
        injected.clear();
        exceptions.clear();
        methodExceptions.clear();
        seen.clear();
        failuresExpected = false;
    }

    private record Delivery(String handlerId, UUID eventId) {

        static Delivery of(FailedDelivery failure) {
            return new Delivery(failure.delivery().handlerId(), failure.eventId());
        }
    }
}
