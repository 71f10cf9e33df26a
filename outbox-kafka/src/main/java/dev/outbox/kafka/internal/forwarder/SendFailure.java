package dev.outbox.kafka.internal.forwarder;

import dev.outbox.NonRetryableException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import dev.outbox.internal.failure.Causes;
import java.io.IOException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Classifies what the producer throws, and how it completes a send. */
final class SendFailure {

    private SendFailure() {}

    static Fault of(String topic, Throwable ex) {
        if (isRefusal(ex)) {
            return ofRecord(new NonRetryableException(
                    "Kafka refused the record for topic " + topic + ": " + ex.getMessage() + remedy(ex), ex));
        }
        if (ex instanceof TimeoutException && ex.getCause() instanceof UnknownTopicOrPartitionException missing) {
            return Fault.ofEnvironment(
                    Scope.DESTINATION,
                    "Topic " + topic + " does not exist: " + ex.getMessage() + " " + missing.getMessage(),
                    ex);
        }
        Scope scope = scope(ex);
        Throwable named = scope == Scope.CONNECTION && ex.getCause() instanceof KafkaException cause ? cause : ex;
        return scope == Scope.MESSAGE
                ? ofRecord(ex)
                : Fault.ofEnvironment(
                        scope, "Kafka did not accept the record for topic " + topic + ": " + named.getMessage(), named);
    }

    private static Scope scope(Throwable ex) {
        if (ex instanceof AuthenticationException || ex instanceof ClusterAuthorizationException) {
            return Scope.CONNECTION;
        }
        if (ex instanceof AuthorizationException || isOfSchemaRegistry(ex)) {
            return Scope.DESTINATION;
        }
        if (ex instanceof RetriableException
                || ex instanceof OutOfOrderSequenceException
                || ex instanceof UnknownServerException) {
            return Scope.UNIT;
        }
        return isOfProducer(ex) ? Scope.CONNECTION : Scope.MESSAGE;
    }

    private static Fault ofRecord(Throwable ex) {
        return new Fault(ex, Scope.MESSAGE);
    }

    /** Returns whether the producer cannot be created, or fails every send since an error or since it was closed. */
    static boolean isOfProducer(Throwable ex) {
        return ex instanceof KafkaException
                && !(ex instanceof ApiException)
                && !(ex instanceof SerializationException)
                && !isRefusal(ex);
    }

    /** Returns whether a serializer could not reach what it needs; it wraps the reason. */
    private static boolean isOfSchemaRegistry(Throwable ex) {
        return ex instanceof SerializationException
                && Causes.anyMatch(
                        ex,
                        (cause) -> cause instanceof IOException
                                || cause instanceof RetriableException
                                || cause instanceof java.util.concurrent.TimeoutException);
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
}
