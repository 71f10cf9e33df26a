package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean method as a handler of events. It must return {@code void} and take one of: the payload's class, a
 * {@code JsonNode}, an {@link EventEnvelope}; or one of the first two together with the envelope. An {@link EventContext} may
 * come last.
 *
 * <p>A handler runs on the poller's thread, or one of its workers where {@code concurrency} is above 1, outside any transaction, and may be called more than once for an event: it must
 * be idempotent, unless it is {@linkplain #deduplicate deduplicated}. Whatever it throws counts as a failed attempt and is retried by the retry policy; see
 * {@link NonRetryableException} and {@link RetryAfterException}. The events of one aggregate reach a handler in order.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxHandler {

    /**
     * The handler's id, stored with every delivery that has to be retried: keep it when the method is renamed. At most 255
     * characters, unique in the application. {@code beanName.methodName} if empty.
     *
     * @return the handler id
     */
    String id() default "";

    /**
     * The event types that the handler wants, or {@code "*"} for all. May be left out where the parameter is a payload
     * class, whose event type it then is.
     *
     * @return the event types
     */
    String[] eventTypes() default {};

    /**
     * Whether what the handler does in the outbox's database happens exactly once for each event. The handler then runs in a
     * transaction that first notes the event as processed; an event that is noted already does not reach the handler again, and
     * counts as handled. If the handler throws, all of it is rolled back. The handler's own {@code @Transactional} joins this
     * transaction. What the handler does elsewhere, such as sending mail, may still happen more than once.
     *
     * @return whether to deduplicate
     */
    boolean deduplicate() default false;

    /**
     * What happens to later events of the same aggregate when this handler has given up on one: whether it goes on with
     * them, or they wait until an operator has decided. May be overruled by configuration.
     *
     * @return the policy
     */
    OnDead onDead() default OnDead.CONTINUE;

    /**
     * The ids that the handler had before it was renamed. It takes over what is stored under these, in order, while older versions of
     * the application may still be running with them. To be kept until nothing is stored under them any more, which the application says when it
     * starts.
     *
     * @return the former ids
     */
    String[] aliases() default {};
}
