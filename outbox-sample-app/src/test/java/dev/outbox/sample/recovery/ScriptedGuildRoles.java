package dev.outbox.sample.recovery;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Guild system that fails as told, after it has restored the role. */
final class ScriptedGuildRoles implements GuildRoles {

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();

    @Override
    public void restore(String guildId, String role) {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new AssertionError("called inside a transaction");
        }
        calls.add(guildId + " " + role);
        Failure failure = failures.computeIfPresent(role, (name, left) -> new Failure(left.times() - 1, left.cause()));
        if (failure != null && failure.times() >= 0) {
            throw failure.cause().get();
        }
    }

    /** Fails the next calls for a role. */
    void fail(String role, int times, Supplier<RuntimeException> cause) {
        failures.put(role, new Failure(times, cause));
    }

    List<String> restoredIn(String guildId) {
        return calls.stream()
                .filter((call) -> call.startsWith(guildId + " "))
                .map((call) -> call.substring(guildId.length() + 1))
                .toList();
    }

    private record Failure(int times, Supplier<RuntimeException> cause) {}
}
