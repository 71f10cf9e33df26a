package dev.outbox.sample.identity;

import dev.outbox.sample.demo.Traffic;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Component;

/** Users who register, and sign in. */
@Component
final class IdentityTraffic implements Traffic {

    private final Queue<UUID> registered = new ConcurrentLinkedQueue<>();
    private final Users users;

    IdentityTraffic(Users users) {
        this.users = users;
    }

    @Override
    public void next() {
        UUID user = registered.poll();
        if (user == null) {
            registered.add(users.register("user-" + UUID.randomUUID()).id());
        } else {
            users.signIn(user);
        }
    }
}
