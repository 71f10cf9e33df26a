package dev.outbox.sample.recovery;

import dev.outbox.sample.discord.GuildRoles;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.springframework.context.annotation.Primary;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Guild system that fails as scripted, after it has made the change. */
@Primary
final class ScriptedGuildRoles implements GuildRoles {

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Map<String, Failure> failures = new ConcurrentHashMap<>();
    private final Map<String, List<String>> roles = new ConcurrentHashMap<>();

    @Override
    public List<String> read(String guildId) {
        checkTransaction();
        return roles.getOrDefault(guildId, List.of());
    }

    @Override
    public void restore(String guildId, String role) {
        change(guildId, role);
    }

    @Override
    public void revoke(String guildId, String member) {
        change(guildId, member);
    }

    @Override
    public void grant(String guildId, String member, String role) {
        change(guildId, member + " " + role);
    }

    /** Sets what a snapshot of a guild reads. */
    void hold(String guildId, String... names) {
        roles.put(guildId, List.of(names));
    }

    private static void checkTransaction() {
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new AssertionError("called inside a transaction");
        }
    }

    private void change(String guildId, String name) {
        checkTransaction();
        calls.add(guildId + " " + name);
        Failure failure = failures.computeIfPresent(name, (same, left) -> new Failure(left.times() - 1, left.cause()));
        if (failure != null && failure.times() >= 0) {
            throw failure.cause().get();
        }
    }

    /** Fails the next calls for a role or a member. */
    void fail(String name, int times, Supplier<RuntimeException> cause) {
        failures.put(name, new Failure(times, cause));
    }

    List<String> changedIn(String guildId) {
        return calls.stream()
                .filter((call) -> call.startsWith(guildId + " "))
                .map((call) -> call.substring(guildId.length() + 1))
                .toList();
    }

    private record Failure(int times, Supplier<RuntimeException> cause) {}
}
