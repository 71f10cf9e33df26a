package dev.outbox.messaging.internal.channel;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.MessageHandler;
import org.springframework.messaging.MessagingException;
import org.springframework.messaging.support.ErrorMessage;

/**
 * Receives what channels report of the messages behind them, as the adapters of Spring Integration and the binders of Spring Cloud Stream
 * report it: the message itself or only the value of its delivery header, and failures as an error message or a negative confirm. Ignores
 * all other messages, because an error channel may belong to the whole application. Safe for use by many threads.
 */
final class Acknowledgements implements MessageHandler {

    /** Headers of a publisher confirm of RabbitMQ. */
    private static final String CONFIRM = "amqp_publishConfirm";

    private static final String CONFIRM_CAUSE = "amqp_publishConfirmNackCause";

    private static final int MOST_CAUSES = 20;

    private final Map<String, CompletableFuture<Void>> open = new ConcurrentHashMap<>();

    /** Returns what completes with the acknowledgement of a delivery; exceptionally if it fails or is not acknowledged in time. */
    CompletableFuture<Void> expect(String delivery, Duration timeout) {
        return open.computeIfAbsent(delivery, (unknown) -> {
            CompletableFuture<Void> acknowledged =
                    new CompletableFuture<Void>().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
            CompletionStage<Void> end = acknowledged;
            end.whenComplete((result, failure) -> open.remove(delivery, acknowledged));
            return acknowledged;
        });
    }

    @Override
    public void handleMessage(Message<?> message) {
        Object payload = message.getPayload();
        Throwable failure = payload instanceof Throwable thrown ? thrown : negativeConfirm(message);
        String delivery = payload instanceof Throwable thrown ? failed(message, thrown) : acknowledged(message);
        CompletableFuture<Void> expected = delivery == null ? null : open.get(delivery);
        if (expected == null) {
            return;
        }
        if (failure == null) {
            expected.complete(null);
        } else {
            expected.completeExceptionally(failure);
        }
    }

    private static @Nullable Throwable negativeConfirm(Message<?> message) {
        return Boolean.FALSE.equals(message.getHeaders().get(CONFIRM))
                ? new MessageDeliveryException(
                        "the broker refused it: " + message.getHeaders().getOrDefault(CONFIRM_CAUSE, "no cause given"))
                : null;
    }

    private static @Nullable String acknowledged(Message<?> message) {
        String delivery = delivery(message);
        return delivery == null && message.getPayload() instanceof String text ? text : delivery;
    }

    /** Finds the message that failed: it stands in the report, or in an exception. */
    private static @Nullable String failed(Message<?> report, Throwable failure) {
        String delivery = delivery(report);
        if (delivery == null && report instanceof ErrorMessage error && error.getOriginalMessage() != null) {
            delivery = delivery(error.getOriginalMessage());
        }
        Throwable cause = failure;
        for (int depth = 0; delivery == null && cause != null && depth < MOST_CAUSES; depth++) {
            if (cause instanceof MessagingException thrown && thrown.getFailedMessage() != null) {
                delivery = delivery(thrown.getFailedMessage());
            }
            cause = cause.getCause();
        }
        return delivery;
    }

    private static @Nullable String delivery(Message<?> message) {
        return message.getHeaders().get(ChannelMessages.DELIVERY) instanceof String delivery ? delivery : null;
    }
}
