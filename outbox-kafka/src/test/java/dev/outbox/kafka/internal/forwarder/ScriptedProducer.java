package dev.outbox.kafka.internal.forwarder;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/** Producer whose records the test completes one by one, and that notes records in flight behind one of the same key. */
final class ScriptedProducer extends MockProducer<Object, Object> {

    private final BlockingQueue<ProducerRecord<Object, Object>> unfinished = new LinkedBlockingQueue<>();
    private final Set<Object> keysInFlight = ConcurrentHashMap.newKeySet();
    private final List<String> overtaking = new CopyOnWriteArrayList<>();
    private final Map<String, RuntimeException> failures = new ConcurrentHashMap<>();
    private volatile int largestWave;

    @SuppressWarnings("unchecked")
    ScriptedProducer() {
        super(false, null, (Serializer<Object>) (Serializer<?>) new StringSerializer(), (Serializer<Object>)
                (Serializer<?>) new ByteArraySerializer());
    }

    /** Lets Kafka refuse the record of an event, or accept it again. */
    ScriptedProducer failing(String event, @Nullable RuntimeException failure) {
        if (failure == null) {
            failures.remove(event);
        } else {
            failures.put(event, failure);
        }
        return this;
    }

    @Override
    public synchronized Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
        Future<RecordMetadata> future = super.send(record, callback);
        if (!keysInFlight.add(record.key())) {
            overtaking.add(text(record));
        }
        largestWave = Math.max(largestWave, keysInFlight.size());
        unfinished.add(record);
        return future;
    }

    /** Completes records in the order of sending until the handler returns, and those that it has left. */
    void completeUntilDone(Future<?> handler) throws InterruptedException {
        ProducerRecord<Object, Object> next = null;
        while (!handler.isDone() || next != null) {
            next = unfinished.poll(5, TimeUnit.MILLISECONDS);
            if (next != null) {
                complete(next);
            }
        }
    }

    private void complete(ProducerRecord<Object, Object> record) {
        keysInFlight.remove(record.key());
        RuntimeException failure = failures.get(text(record));
        if (failure == null) {
            completeNext();
        } else {
            errorNext(failure);
        }
    }

    /** Returns the events that were sent, in order. */
    List<String> sent() {
        List<String> sent = new ArrayList<>();
        history().forEach((record) -> sent.add(text(record)));
        return sent;
    }

    /** Returns the events that were sent while a record of their aggregate was in flight. */
    List<String> overtaking() {
        return overtaking;
    }

    int inFlight() {
        return unfinished.size();
    }

    int largestWave() {
        return largestWave;
    }

    private static String text(ProducerRecord<?, ?> record) {
        return new String((byte[]) record.value()).replace("\"", "");
    }
}
