package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import java.net.ConnectException;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SendFailureTest {

    static Stream<Exception> refusals() {
        return Stream.of(
                new RecordTooLargeException("why"),
                new InvalidTopicException("why"),
                new InvalidRecordException("why"),
                new SerializationException("why", new ClassCastException()));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusedRecordIsDeadWithMessageOfBroker(Exception refusal) {
        Fault failure = SendFailure.of("orders", refusal);

        assertThat(failure.cause())
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("why")
                .hasCause(refusal);
        assertThat(failure.scope()).isEqualTo(Scope.MESSAGE);
    }

    static Stream<Arguments> outages() {
        return Stream.of(
                arguments(new TimeoutException("Expiring 3 record(s) for orders-0:15000 ms has passed"), Scope.UNIT),
                arguments(new NetworkException("why"), Scope.UNIT),
                arguments(new NotEnoughReplicasException("why"), Scope.UNIT),
                arguments(new UnknownTopicOrPartitionException("why"), Scope.UNIT),
                arguments(new OutOfOrderSequenceException("why"), Scope.UNIT),
                arguments(new UnknownServerException("why"), Scope.UNIT),
                arguments(new TopicAuthorizationException(Set.of("orders")), Scope.DESTINATION),
                arguments(new SerializationException("why", new ConnectException("refused")), Scope.DESTINATION),
                arguments(new SerializationException("why", new TimeoutException("slow")), Scope.DESTINATION),
                arguments(new SaslAuthenticationException("why"), Scope.CONNECTION),
                arguments(new ClusterAuthorizationException("why"), Scope.CONNECTION));
    }

    @ParameterizedTest
    @MethodSource("outages")
    void faultOfEnvironmentDoesNotCount(Exception outage, Scope scope) {
        Fault failure = SendFailure.of("orders", outage);

        assertThat(failure.cause())
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.isCounted()).isFalse())
                .hasMessageContaining(outage.getMessage())
                .cause()
                .hasCause(outage);
        assertThat(failure.scope()).isEqualTo(scope);
    }

    static Stream<Exception> counted() {
        return Stream.of(
                new SerializationException("the schema does not fit"),
                new IllegalStateException("of a serializer"),
                new UnsupportedOperationException("of an interceptor"));
    }

    @ParameterizedTest
    @MethodSource("counted")
    void otherFailuresCount(Exception ex) {
        assertThat(SendFailure.of("orders", ex)).isEqualTo(new Fault(ex, Scope.MESSAGE));
    }

    @Test
    void missingTopicDoesNotCountAndIsNamed() {
        Fault failure = SendFailure.of(
                "orders",
                new TimeoutException(
                        "Topic orders not present in metadata after 5000 ms.",
                        new UnknownTopicOrPartitionException("This server does not host this topic-partition.")));

        assertThat(failure.cause())
                .isInstanceOf(RetryAfterException.class)
                .hasMessageContaining("Topic orders does not exist")
                .hasMessageContaining("This server does not host this topic-partition.");
        assertThat(failure.scope()).isEqualTo(Scope.DESTINATION);
    }

    @Test
    void brokerWithoutAddressDoesNotCount() {
        ConfigException cause = new ConfigException("No resolvable bootstrap urls given in bootstrap.servers");

        Fault failure = SendFailure.of("orders", new KafkaException("Failed to construct kafka producer", cause));

        assertThat(failure.cause()).isInstanceOf(RetryAfterException.class);
        assertThat(failure.scope()).isEqualTo(Scope.CONNECTION);
    }

    @Test
    void producerThatMayNotBeIdempotentIsReplacedWithoutCounting() {
        ClusterAuthorizationException cause = new ClusterAuthorizationException("no IdempotentWrite");

        Fault failure = SendFailure.of("orders", new KafkaException("Cannot perform send", cause));

        assertThat(failure.cause())
                .isInstanceOf(RetryAfterException.class)
                .cause()
                .hasCause(cause);
        assertThat(failure.scope()).isEqualTo(Scope.CONNECTION);
    }

    @Test
    void invalidConfigurationDoesNotCount() {
        ConfigException cause = new ConfigException("ssl.keystore.location", "/none");

        Fault failure = SendFailure.of("orders", new KafkaException("Failed to construct kafka producer", cause));

        assertThat(failure.cause())
                .isInstanceOf(RetryAfterException.class)
                .cause()
                .hasCause(cause);
    }
}
