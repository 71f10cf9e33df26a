package dev.outbox.messaging.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.RetryAfterException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import java.net.ConnectException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.integration.MessageDispatchingException;
import org.springframework.integration.MessageRejectedException;
import org.springframework.integration.transformer.MessageTransformationException;
import org.springframework.jms.UncategorizedJmsException;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.MessageHandlingException;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.support.GenericMessage;

class ChannelFailureTest {

    private static final Message<?> MESSAGE = new GenericMessage<>("the payload");

    static Stream<Throwable> ofMessage() {
        return Stream.of(
                new MessageConversionException("why"),
                new MessageRejectedException(MESSAGE, "why"),
                new MessageTransformationException(MESSAGE, "why", new IllegalArgumentException("why")),
                new MessageHandlingException(MESSAGE, new MessageConversionException("why")),
                new MessageHandlingException(
                        MESSAGE, new org.springframework.jms.support.converter.MessageConversionException("why")),
                new MessageHandlingException(
                        MESSAGE, new org.springframework.amqp.support.converter.MessageConversionException("why")));
    }

    @ParameterizedTest
    @MethodSource("ofMessage")
    void messageThatCannotBeConvertedCountsItsAttempts(Throwable failure) {
        Fault fault = ChannelFailure.of("orders", failure);

        assertThat(fault.scope()).isEqualTo(Scope.MESSAGE);
        assertThat(fault.cause())
                .isNotInstanceOf(RetryAfterException.class)
                .hasMessage("Channel orders did not deliver the message: why");
    }

    static Stream<Throwable> ofChannel() {
        return Stream.of(
                new MessageDeliveryException(MESSAGE, "why"),
                new MessageDispatchingException(MESSAGE, "why"),
                new MessageHandlingException(
                        MESSAGE, new UncategorizedJmsException("wrapper", new ConnectException("why"))),
                new MessageTransformationException(MESSAGE, "slow", new ConnectException("why")),
                new IllegalStateException("why"),
                new NoClassDefFoundError("why"));
    }

    @ParameterizedTest
    @MethodSource("ofChannel")
    void otherFailuresDoNotCount(Throwable failure) {
        Fault fault = ChannelFailure.of("orders", failure);

        assertThat(fault.scope()).isEqualTo(Scope.DESTINATION);
        assertThat(fault.cause())
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.isCounted()).isFalse())
                .hasMessage("Channel orders did not deliver the message: why");
    }

    @Test
    void failureWithoutTextIsNamed() {
        assertThat(ChannelFailure.of("orders", new MessageHandlingException(MESSAGE, new NullPointerException()))
                        .cause())
                .hasMessage("Channel orders did not deliver the message: java.lang.NullPointerException");
    }

    @Test
    void faultHoldsNoMessage() {
        for (Throwable failure : ofMessage().toList()) {
            for (Throwable ex = ChannelFailure.of("orders", failure).cause(); ex != null; ex = ex.getCause()) {
                assertThat(ex.toString()).doesNotContain("the payload");
            }
        }
    }
}
