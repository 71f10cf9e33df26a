package dev.outbox.test;

import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.MessageTarget;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Takes the place of a broker: records what its routes send. */
final class RecordedTarget<M> implements MessageTarget<M>, RecordedMessages {

    private final Function<M, ForwardedRecord> records;
    private final List<ForwardedRecord> sent = new CopyOnWriteArrayList<>();

    RecordedTarget(Function<M, ForwardedRecord> records) {
        this.records = records;
    }

    /** Returns a record whose headers are text. */
    static ForwardedRecord record(String destination, @Nullable String key, String value, Map<String, ?> headers) {
        Map<String, String> texts = new HashMap<>();
        headers.forEach((name, header) -> texts.put(name, String.valueOf(header)));
        return new ForwardedRecord(destination, key, value, texts);
    }

    @Override
    public String destination(M message) {
        return records.apply(message).destination();
    }

    @Override
    public Object unit(M message) {
        return destination(message);
    }

    @Override
    public CompletionStage<?> send(M message) {
        sent.add(records.apply(message));
        return CompletableFuture.completedStage(message);
    }

    @Override
    public Fault classify(M message, Throwable failure) {
        return new Fault(failure, Fault.Scope.MESSAGE);
    }

    @Override
    public void replace() {}

    @Override
    public List<ForwardedRecord> forwarded(String destination) {
        return sent.stream()
                .filter((record) -> record.destination().equals(destination))
                .toList();
    }

    @Override
    public void clear() {
        sent.clear();
    }
}
