package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks classes of events that determine their aggregate, or need no order. {@link OutboxPublisher#publish(Object)} takes an object of the class, or of a
 * subclass; the object is the payload. The starter also publishes it when the application passes it to
 * {@code ApplicationEventPublisher.publishEvent}, or a Spring Data repository publishes it as a domain event. The listeners of Spring
 * receive it as well, once.
 *
 * <p>A Spring event is stored on the thread that publishes it, before any other listener runs, and {@code publishEvent} throws what
 * {@link OutboxPublisher#publish(OutboxEvent)} throws. It therefore needs a read-write transaction of the outbox's {@code DataSource}.
 *
 * <p>The annotation also counts on a superclass, on an interface and on another annotation, whose attributes may override these with
 * {@code @AliasFor}. That of the class itself wins, then that of the nearest supertype. If two unrelated supertypes differ, publishing fails.
 *
 * <p>A property is a record component, a method without parameters, or a getter without its {@code get} or {@code is}. A path such as
 * {@code orderId.value} names a property of a property. If a path names no property, publishing fails with an
 * {@link InvalidEventException}. An application whose handler takes the class does not start ({@link OutboxConfigurationException}).
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Outboxed {

    /**
     * The aggregate type of the event. Without aggregate type and id, the event {@linkplain OutboxEvent#unordered needs no order}.
     *
     * @return the aggregate type, at most 255 characters
     */
    String aggregateType() default "";

    /**
     * The property that holds the aggregate id: a text, a {@code UUID}, an integral number or an enum constant.
     *
     * @return the property, or a path
     */
    String aggregateId() default "";

    /**
     * The event type, so that the class can be renamed; see {@link EventType#value()}. If empty, the simple class name. Like the version, it
     * counts for the annotated class only, not for subclasses, and not beside {@link EventType}.
     *
     * @return the event type
     */
    String eventType() default "";

    /**
     * The schema version of the payload; see {@link EventType#version()}.
     *
     * @return the schema version
     */
    int version() default 1;

    /**
     * The stream of the event. If empty, the configuration determines it.
     *
     * @return the stream
     */
    String stream() default "";

    /**
     * The property that holds the sequence, such as the version of an entity; see {@link OutboxEvent#withSequence}. An integral number that
     * is not {@code null}. If empty, the outbox counts.
     *
     * <p>The property is read when the event is published. In a JPA transaction, the outbox flushes the persistence context first, because
     * JPA changes the version only then. A number that was copied into the event earlier is the previous version: name a path that leads
     * through the entity, such as {@code order.version}.
     *
     * @return the property, or a path
     */
    String sequence() default "";
}
