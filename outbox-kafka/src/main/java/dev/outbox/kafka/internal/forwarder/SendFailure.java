package dev.outbox.kafka.internal.forwarder;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Failure to send a record.
 *
 * @param cause what the outbox receives, which decides whether the attempt counts
 * @param scope what else would fail the same way
 */
record SendFailure(Throwable cause, Scope scope) {

    /** How long an event waits for Kafka before its next attempt. */
    static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    /** What else would fail the same way. */
    enum Scope {
        /** Nothing: the record is at fault. */
        RECORD,
        /** Other records of the topic. */
        TOPIC,
        /** Every record of this producer, until it is replaced. */
        PRODUCER
    }

    /** Classifies what the producer threw, or how it completed a send. */
    static SendFailure of(String topic, Throwable ex) {
        if (isRefusal(ex)) {
            return new SendFailure(
                    new NonRetryableException(
                            "Kafka refused the record for topic " + topic + ": " + ex.getMessage() + remedy(ex), ex),
                    Scope.RECORD);
        }
        if (ex instanceof TimeoutException && ex.getCause() instanceof UnknownTopicOrPartitionException missing) {
            return new SendFailure(
                    uncounted(
                            "Topic " + topic + " does not exist: " + ex.getMessage() + " " + missing.getMessage(), ex),
                    Scope.TOPIC);
        }
        if (isMissingPartition(ex)) {
            return new SendFailure(ex, Scope.RECORD);
        }
        if (ex instanceof RetriableException
                || ex instanceof AuthorizationException
                || ex instanceof AuthenticationException
                || ex instanceof OutOfOrderSequenceException) {
            return new SendFailure(refused(topic, ex), Scope.TOPIC);
        }
        if (ex instanceof SerializationException || ex instanceof ApiException) {
            return new SendFailure(ex, Scope.RECORD);
        }
        if (ex instanceof KafkaException || ex instanceof IllegalStateException) {
            return ofBrokenProducer(topic, ex);
        }
        return new SendFailure(ex, Scope.RECORD);
    }

    /** Classifies a producer that cannot be created, or that fails every send since an error or since it was closed. */
    private static SendFailure ofBrokenProducer(String topic, Throwable ex) {
        Throwable root = ex.getCause() instanceof KafkaException cause ? cause : ex;
        boolean closed = String.valueOf(ex.getMessage()).contains("closed");
        return new SendFailure(ex instanceof KafkaException || closed ? refused(topic, root) : root, Scope.PRODUCER);
    }

    /** Returns the failure of a later record that is not tried because of this one. */
    SendFailure untried() {
        return cause instanceof RetryAfterException
                ? this
                : new SendFailure(uncounted("not sent after a failure: " + cause.getMessage(), cause), scope);
    }

    /** Returns whether the fault is one of the environment, which every record of the topic meets. */
    boolean isOfEnvironment() {
        return scope != Scope.RECORD;
    }

    /** Returns the failure of a record that the producer has neither sent nor given up in time. */
    static SendFailure unanswered(String topic, Duration waited) {
        return new SendFailure(
                RetryAfterException.uncounted(
                        RETRY_DELAY,
                        "the Kafka producer did not complete a record for topic " + topic + " within "
                                + waited.toSeconds() + " s, so it is replaced",
                        null),
                Scope.PRODUCER);
    }

    /** Returns the failure of events that must not be sent now, because of the configuration or the database. */
    static SendFailure unmet(RuntimeException ex) {
        return new SendFailure(uncounted(Redaction.message(ex), ex), Scope.PRODUCER);
    }

    private static RetryAfterException refused(String topic, Throwable ex) {
        return uncounted("Kafka did not accept the record for topic " + topic + ": " + ex.getMessage(), ex);
    }

    private static RetryAfterException uncounted(String message, Throwable ex) {
        return RetryAfterException.uncounted(RETRY_DELAY, message, ex);
    }

    /** Both the client and the broker complain of a size with this class. Only the client names its setting. */
    private static String remedy(Throwable ex) {
        return ex instanceof RecordTooLargeException || ex instanceof RecordBatchTooLargeException
                ? " Raise max.message.bytes of the topic, or the setting of the producer that is named here, and retry the event"
                : "";
    }

    private static boolean isRefusal(Throwable ex) {
        return ex instanceof RecordTooLargeException
                || ex instanceof RecordBatchTooLargeException
                || ex instanceof InvalidTopicException
                || ex instanceof InvalidRecordException
                || ex instanceof InvalidTimestampException
                || (ex instanceof SerializationException && ex.getCause() instanceof ClassCastException)
                || ex instanceof ClassCastException;
    }

    /** The producer gives no class to the error of a partition that the mapper chose and the topic does not have. */
    private static boolean isMissingPartition(Throwable ex) {
        return ex instanceof TimeoutException && String.valueOf(ex.getMessage()).contains("with partition count");
    }
}
