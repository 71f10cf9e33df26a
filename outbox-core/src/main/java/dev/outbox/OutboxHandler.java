package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean method as a handler of events. The method returns {@code void} and takes a payload class, a {@code JsonNode} or an
 * {@link EventEnvelope}. A sealed payload type subscribes to the event types of its permitted classes. A payload or {@code JsonNode} may be followed by the envelope, and an {@link EventContext} may come last.
 *
 * <p>The poller's thread runs the handler, or a worker thread if {@code concurrency} is above 1. No transaction is active. A handler may
 * receive an event more than once, so it must be idempotent, unless it {@linkplain #deduplicate deduplicates}. An exception counts as a
 * failed attempt, and the retry policy applies; see {@link NonRetryableException} and {@link RetryAfterException}. A handler receives the
 * events of one aggregate in order.
 *
 * <p>A <em>batch handler</em> takes a {@code List} of payloads, of envelopes, or of both in this order, then optionally a {@link BatchOutcome}
 * and an {@link EventContext}. It receives the events that are claimed together, at most {@code batch-size} of their stream: of many
 * aggregates, each in order. If one event fails, the handler reports it to the {@code BatchOutcome} and leaves out the later events of its
 * aggregate. If the handler throws, all of them are delivered again; the attempt counts for the first event of each aggregate. Because one
 * event may be at fault, the last attempt on an event is made without the others; with one attempt, each event comes alone. If a
 * deduplicating batch handler reports a failure, its transaction rolls back, and it is invoked again without that event and those behind it.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxHandler {

    /**
     * The handler id, which is stored with queued deliveries: keep it when you rename the method. At most 255 characters, unique in the
     * application. If empty, {@code beanName.methodName}.
     *
     * @return the handler id
     */
    String id() default "";

    /**
     * The event types of the handler, or {@code "*"} for all. Optional for a method with a payload class, which determines the event type.
     *
     * @return the event types
     */
    String[] eventTypes() default {};

    /**
     * Whether the effects of the handler in the outbox's database happen exactly once per event. The handler then runs in a transaction that
     * first records the event as processed. If the event is already recorded, the handler is not invoked, and the attempt counts as a
     * success. If the handler throws, the transaction rolls back. The handler's own {@code @Transactional} joins this transaction. Effects
     * elsewhere, such as sending mail, may still happen more than once.
     *
     * @return whether to deduplicate
     */
    boolean deduplicate() default false;

    /**
     * The policy for later events of the same aggregate after a dead delivery: the handler receives them, or they wait for an operator. The
     * configuration can override it.
     *
     * @return the policy
     */
    OnDead onDead() default OnDead.CONTINUE;

    /**
     * The former ids of a renamed handler. The handler takes over the deliveries that are stored under these ids, in order, even while older
     * versions of the application run. Keep an alias until nothing is stored under it.
     *
     * @return the former ids
     */
    String[] aliases() default {};

    /**
     * How long an attempt may run before it is interrupted and fails, from one second to one day: {@code "5s"}, {@code "2m"},
     * {@code "PT30M"}, a number of milliseconds, or a placeholder such as {@code "${mail.timeout}"}. The property
     * {@code outbox.handlers[<id>].timeout} overrides it; it overrides {@code outbox.handler-timeout}. If empty, the configured timeout
     * applies.
     *
     * @return the timeout
     */
    String timeout() default "";

    /**
     * The number of failed attempts after which a delivery is dead. The property {@code outbox.handlers[<id>].retry.max-attempts} overrides
     * it; it overrides those of the stream and {@code outbox.retry.max-attempts}. If 0, the configured number applies.
     *
     * @return the number of attempts
     */
    int maxAttempts() default 0;
}
