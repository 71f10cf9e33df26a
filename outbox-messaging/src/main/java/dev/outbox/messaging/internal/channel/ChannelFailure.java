package dev.outbox.messaging.internal.channel;

import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.MessagingException;

/** Classifies what a channel throws, and how it reports a failure. */
final class ChannelFailure {

    /** What refuses a message for its content; by name, because the application chooses the modules. */
    private static final Set<String> OF_MESSAGE = Set.of(
            "org.springframework.messaging.converter.MessageConversionException",
            "org.springframework.jms.support.converter.MessageConversionException",
            "org.springframework.amqp.support.converter.MessageConversionException",
            "org.springframework.integration.MessageRejectedException",
            "org.springframework.integration.transformer.MessageTransformationException",
            "org.apache.kafka.common.errors.SerializationException",
            "org.apache.kafka.common.errors.RecordTooLargeException");

    private ChannelFailure() {}

    /** Returns the fault. Only a message that cannot be converted is at fault itself; whatever else fails would also fail with others. */
    static Fault of(String channel, Throwable failure) {
        if (failure instanceof TimeoutException) {
            return Fault.ofEnvironment(
                    Scope.DESTINATION, "Channel " + channel + " has not acknowledged the message in time", failure);
        }
        Throwable cause = withoutMessage(failure);
        String message = "Channel " + channel + " did not deliver the message: "
                + text(firstOrInnermost(failure, (next) -> false));
        return isOfMessage(failure)
                ? new Fault(new MessagingException(message, cause), Scope.MESSAGE)
                : Fault.ofEnvironment(Scope.DESTINATION, message, cause);
    }

    private static String text(Throwable ex) {
        return ex.getMessage() == null ? ex.getClass().getName() : Redaction.message(ex);
    }

    /** Returns the cause behind the exceptions of Spring Messaging, which hold the message and its payload. */
    private static @Nullable Throwable withoutMessage(Throwable failure) {
        Throwable cause = firstOrInnermost(failure, (next) -> !(next instanceof MessagingException));
        return cause instanceof MessagingException ? null : cause;
    }

    /** Returns the first cause that matches, or else the innermost. */
    private static Throwable firstOrInnermost(Throwable failure, Predicate<Throwable> match) {
        Throwable[] found = {failure};
        Causes.anyMatch(failure, (next) -> {
            found[0] = next;
            return match.test(next);
        });
        return found[0];
    }

    /** A converter that cannot reach what it needs, such as a schema registry, wraps the reason. */
    private static boolean isOfMessage(Throwable failure) {
        return Causes.anyMatch(failure, (cause) -> isNamed(cause.getClass()))
                && !Causes.anyMatch(
                        failure, (cause) -> cause instanceof IOException || cause instanceof TimeoutException);
    }

    private static boolean isNamed(@Nullable Class<?> type) {
        return type != null && (OF_MESSAGE.contains(type.getName()) || isNamed(type.getSuperclass()));
    }
}
