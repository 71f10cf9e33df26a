package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.kafka.internal.forwarder.SendFailure.Scope;
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
        SendFailure failure = SendFailure.of("orders", refusal);

        assertThat(failure.cause())
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("why")
                .hasCause(refusal);
        assertThat(failure.scope()).isEqualTo(Scope.RECORD);
    }

    static Stream<Exception> outages() {
        return Stream.of(
                new TimeoutException("Topic orders not present in metadata after 5000 ms."),
                new TimeoutException("Expiring 3 record(s) for orders-0:15000 ms has passed since batch creation"),
                new NetworkException("why"),
                new NotEnoughReplicasException("why"),
                new UnknownTopicOrPartitionException("why"),
                new TopicAuthorizationException(Set.of("orders")),
                new SaslAuthenticationException("why"),
                new OutOfOrderSequenceException("why"));
    }

    @ParameterizedTest
    @MethodSource("outages")
    void faultOfEnvironmentDoesNotCount(Exception outage) {
        SendFailure failure = SendFailure.of("orders", outage);

        assertThat(failure.cause())
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.isCounted()).isFalse())
                .hasMessageContaining(outage.getMessage())
                .hasCause(outage);
        assertThat(failure.scope()).isEqualTo(Scope.TOPIC);
    }

    static Stream<Arguments> counted() {
        return Stream.of(
                arguments(
                        new TimeoutException("Partition 7 of topic orders with partition count 3 is not present"),
                        Scope.RECORD),
                arguments(new SerializationException("the registry does not answer"), Scope.RECORD),
                arguments(new UnknownServerException("why"), Scope.RECORD),
                arguments(new UnsupportedOperationException("of an interceptor"), Scope.RECORD));
    }

    @ParameterizedTest
    @MethodSource("counted")
    void otherFailuresCount(Exception ex, Scope scope) {
        assertThat(SendFailure.of("orders", ex)).isEqualTo(new SendFailure(ex, scope));
    }

    @Test
    void missingTopicDoesNotCountAndIsNamed() {
        SendFailure failure = SendFailure.of(
                "orders",
                new TimeoutException(
                        "Topic orders not present in metadata after 5000 ms.",
                        new UnknownTopicOrPartitionException("This server does not host this topic-partition.")));

        assertThat(failure.cause())
                .isInstanceOf(RetryAfterException.class)
                .hasMessageContaining("Topic orders does not exist")
                .hasMessageContaining("This server does not host this topic-partition.");
        assertThat(failure.scope()).isEqualTo(Scope.TOPIC);
    }

    @Test
    void brokerWithoutAddressDoesNotCount() {
        ConfigException cause = new ConfigException("No resolvable bootstrap urls given in bootstrap.servers");

        SendFailure failure = SendFailure.of("orders", new KafkaException("Failed to construct kafka producer", cause));

        assertThat(failure.cause()).isInstanceOf(RetryAfterException.class);
        assertThat(failure.scope()).isEqualTo(Scope.PRODUCER);
    }

    @Test
    void closedProducerDoesNotCount() {
        IllegalStateException closed =
                new IllegalStateException("Cannot perform operation after producer has been closed");

        assertThat(SendFailure.of("orders", closed).cause()).isInstanceOf(RetryAfterException.class);
    }

    @Test
    void producerThatMayNotBeIdempotentIsReplacedWithoutCounting() {
        ClusterAuthorizationException cause = new ClusterAuthorizationException("no IdempotentWrite");

        SendFailure failure = SendFailure.of("orders", new KafkaException("Cannot perform send", cause));

        assertThat(failure.cause()).isInstanceOf(RetryAfterException.class).hasCause(cause);
        assertThat(failure.scope()).isEqualTo(Scope.PRODUCER);
    }

    @Test
    void invalidConfigurationDoesNotCount() {
        ConfigException cause = new ConfigException("ssl.keystore.location", "/none");

        SendFailure failure = SendFailure.of("orders", new KafkaException("Failed to construct kafka producer", cause));

        assertThat(failure.cause()).isInstanceOf(RetryAfterException.class).hasCause(cause);
    }

    @Test
    void recordThatIsNotTriedAfterCountedFailureDoesNotCount() {
        SendFailure failure = SendFailure.of("orders", new IllegalStateException("of a partitioner"));

        assertThat(failure.cause()).isInstanceOf(IllegalStateException.class);
        assertThat(failure.untried().cause())
                .isInstanceOfSatisfying(
                        RetryAfterException.class,
                        (ex) -> assertThat(ex.isCounted()).isFalse())
                .hasMessageContaining("of a partitioner");
    }
}
