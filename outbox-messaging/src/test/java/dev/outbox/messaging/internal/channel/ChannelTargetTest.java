package dev.outbox.messaging.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.support.ErrorMessage;
import org.springframework.messaging.support.GenericMessage;

/** Both confirmations of a channel. */
class ChannelTargetTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private final PublishSubscribeChannel reports = new PublishSubscribeChannel();
    private final ChannelMessage a1 = message("a1", LONG);

    @Test
    void synchronousChannelHasDeliveredWhenItReturns() {
        ChannelTarget target = open(Confirmation.SYNCHRONOUS, (sent, timeout) -> true);

        assertThat(target.send(synchronous())).isCompleted();
    }

    @Test
    void channelThatReturnsFalseFails() {
        ChannelTarget target = open(Confirmation.SYNCHRONOUS, (sent, timeout) -> false);

        assertThatThrownBy(() -> target.send(synchronous())).satisfies((failure) -> {
            Fault fault = target.classify(a1, failure);
            assertThat(fault.scope()).isEqualTo(Scope.DESTINATION);
            assertThat(fault.cause())
                    .hasMessage("Channel orders did not deliver the message: its send method returned false");
        });
    }

    @Test
    void channelFailsAsAWhole() {
        ChannelTarget target = open(Confirmation.SYNCHRONOUS, (sent, timeout) -> true);

        assertThat(target.unit(a1)).isEqualTo("orders").isEqualTo(target.destination(a1));
    }

    @Test
    void stoppedApplicationSendsNothingMore() {
        ChannelTarget target = open(Confirmation.SYNCHRONOUS, (sent, timeout) -> true);
        target.close();

        assertThatThrownBy(() -> target.send(synchronous())).hasMessage("the application stops");
        target.open();
        assertThat(target.send(synchronous())).isCompleted();
    }

    @Test
    void acknowledgedChannelWaitsForTheCopyOfTheMessage() {
        ChannelTarget target = acknowledged();
        CompletableFuture<?> other = send(target, message("b1", LONG));
        CompletableFuture<?> sent = send(target, a1);
        assertThat(sent).isNotDone();

        reports.send(MessageBuilder.fromMessage(a1.message())
                .setHeader("kafka_recordMetadata", "orders-0@5")
                .build());

        assertThat(sent).isCompleted();
        assertThat(other).isNotDone();
    }

    @Test
    void acknowledgementMayBeOnlyTheDelivery() {
        CompletableFuture<?> sent = send(acknowledged(), a1);

        reports.send(new GenericMessage<>(a1.delivery()));

        assertThat(sent).isCompleted();
    }

    @Test
    void acknowledgementMayComeBeforeSendReturns() {
        ChannelTarget target = open(Confirmation.ACKNOWLEDGEMENT, (sent, timeout) -> reports.send(sent));

        assertThat(target.send(a1)).isCompleted();
    }

    @Test
    void negativeConfirmFailsTheMessage() {
        ChannelTarget target = acknowledged();
        CompletableFuture<?> sent = send(target, a1);

        reports.send(MessageBuilder.withPayload(a1.delivery())
                .setHeader("amqp_publishConfirm", false)
                .setHeader("amqp_publishConfirmNackCause", "queue is full")
                .build());

        assertThat(fault(target, sent).cause())
                .hasMessage("Channel orders did not deliver the message: the broker refused it: queue is full");
    }

    @Test
    void errorMessageNamesTheFailedMessageInItsException() {
        ChannelTarget target = acknowledged();
        CompletableFuture<?> sent = send(target, a1);

        reports.send(new ErrorMessage(
                new MessageHandlingException(a1.message(), "handler failed", new IllegalStateException("no leader"))));

        assertThat(fault(target, sent).cause()).hasMessage("Channel orders did not deliver the message: no leader");
    }

    @Test
    void errorMessageMayHoldTheOriginalMessage() {
        CompletableFuture<?> sent = send(acknowledged(), a1);

        reports.send(new ErrorMessage(new IllegalStateException("no leader"), a1.message()));

        assertThat(sent).isCompletedExceptionally();
    }

    @Test
    void reportsOfOtherMessagesAreIgnored() {
        CompletableFuture<?> sent = send(acknowledged(), a1);

        reports.send(new GenericMessage<>("a1"));
        reports.send(new GenericMessage<>(17));
        reports.send(new ErrorMessage(new IllegalStateException("of a consumer")));

        assertThat(sent).isNotDone();
    }

    @Test
    void channelThatThrowsIsNotWaitedFor() {
        ChannelTarget target = open(Confirmation.ACKNOWLEDGEMENT, (sent, timeout) -> {
            throw new IllegalStateException("no subscribers");
        });

        assertThat(fault(target, send(target, a1)).cause())
                .hasMessage("Channel orders did not deliver the message: no subscribers");
    }

    @Test
    void missingAcknowledgementIsAFaultOfTheChannel() {
        ChannelTarget target = acknowledged();

        CompletableFuture<?> sent = send(target, message("a1", Duration.ofMillis(20)));

        assertThatThrownBy(sent::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(TimeoutException.class);
        Fault fault = fault(target, sent);
        assertThat(fault.scope()).isEqualTo(Scope.DESTINATION);
        assertThat(fault.cause()).hasMessage("Channel orders has not acknowledged the message in time");
    }

    @Test
    void lateAcknowledgementCompletesTheNextAttempt() {
        ChannelTarget target = acknowledged();
        send(target, a1).completeExceptionally(new TimeoutException());
        CompletableFuture<?> second = send(target, a1);
        assertThat(second).isNotDone();

        reports.send(a1.message());

        assertThat(second).isCompleted();
    }

    @Test
    void replayBesideAnOpenAttemptWaitsForTheSameAcknowledgement() {
        ChannelTarget target = acknowledged();
        CompletableFuture<?> first = send(target, a1);
        CompletableFuture<?> replay = send(target, a1);

        reports.send(a1.message());

        assertThat(first).isCompleted();
        assertThat(replay).isCompleted();
    }

    @Test
    void missingChannelFailsTheStart() {
        assertThatThrownBy(() -> target(Confirmation.SYNCHRONOUS).open())
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessage("outbox.channel.routes.orders.channel names the bean orders, which does not exist;"
                        + " declare a MessageChannel with this name, or correct the property");
    }

    @Test
    void beanThatIsNoChannelFailsTheStart() {
        beans.addBean("orders", "text");

        assertThatThrownBy(() -> target(Confirmation.SYNCHRONOUS).open())
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessage("outbox.channel.routes.orders.channel names the bean orders, which is a java.lang.String;"
                        + " name a MessageChannel");
    }

    @Test
    void channelThatCannotBeSynchronousFailsTheStart() {
        assertThatThrownBy(() -> open(Confirmation.SYNCHRONOUS, new QueueChannel()))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining(
                        "outbox.channel.routes.orders.confirmation is synchronous, but channel orders is a"
                                + " QueueChannel that returns before it hands a message over");
    }

    @Test
    void acknowledgementsNeedAChannelWithSubscribers() {
        beans.addBean("reports", new QueueChannel());

        assertThatThrownBy(() -> open(Confirmation.ACKNOWLEDGEMENT, (sent, timeout) -> true))
                .isInstanceOf(OutboxConfigurationException.class)
                .hasMessageContaining("outbox.channel.routes.orders.acknowledgements names channel reports");
    }

    private static ChannelMessage message(String orderAndSequence, Duration timeout) {
        return TestEvents.message(orderAndSequence, Confirmation.ACKNOWLEDGEMENT, timeout);
    }

    private static ChannelMessage synchronous() {
        return TestEvents.message("a1", Confirmation.SYNCHRONOUS, LONG);
    }

    private ChannelTarget acknowledged() {
        beans.addBean("reports", reports);
        return open(Confirmation.ACKNOWLEDGEMENT, (sent, timeout) -> true);
    }

    private ChannelTarget open(Confirmation confirmation, MessageChannel channel) {
        beans.addBean("orders", channel);
        if (!beans.containsBean("reports")) {
            beans.addBean("reports", reports);
        }
        ChannelTarget target = target(confirmation);
        target.open();
        return target;
    }

    private ChannelTarget target(Confirmation confirmation) {
        return new ChannelTarget(Map.of("orders", TestEvents.route(confirmation, LONG)), beans);
    }

    private static CompletableFuture<?> send(ChannelTarget target, ChannelMessage message) {
        return target.send(message).toCompletableFuture();
    }

    private Fault fault(ChannelTarget target, CompletableFuture<?> sent) {
        assertThat(sent).isCompletedExceptionally();
        return sent.handle((result, failure) -> target.classify(a1, failure)).join();
    }
}
