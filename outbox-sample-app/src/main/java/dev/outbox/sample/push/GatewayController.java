package dev.outbox.sample.push;

import dev.outbox.sample.web.Name;
import java.util.List;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The simulated gateway over HTTP: its phones and their faults. */
@RestController
final class GatewayController {

    private final SimulatedGateway gateway;

    GatewayController(SimulatedGateway gateway) {
        this.gateway = gateway;
    }

    @PutMapping("/devices/{userId}")
    void register(@PathVariable @Name String userId) {
        gateway.register(userId);
    }

    @DeleteMapping("/devices/{userId}")
    void unregister(@PathVariable String userId) {
        gateway.unregister(userId);
    }

    @GetMapping("/devices/{userId}/messages")
    List<String> shown(@PathVariable String userId) {
        return gateway.shown(userId);
    }

    @PutMapping("/devices/{userId}/failures")
    void fail(@PathVariable String userId, @RequestBody Failures failures) {
        gateway.fail(userId, failures.times());
    }

    record Failures(int times) {}
}
