package dev.outbox.sample.push.simulated;

import dev.outbox.sample.web.Name;
import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The simulated gateway over HTTP: what its devices have shown, and their faults. */
@RestController
@ConditionalOnProperty(name = "push.gateway", havingValue = "simulated")
final class SimulatedGatewayController {

    private final SimulatedGateway gateway;

    SimulatedGatewayController(SimulatedGateway gateway) {
        this.gateway = gateway;
    }

    @GetMapping("/devices/{userId}/messages")
    List<String> shown(@PathVariable String userId) {
        return gateway.shown(userId);
    }

    @PutMapping("/devices/{userId}/failures")
    void fail(@PathVariable @Name String userId, @RequestBody Failures failures) {
        gateway.fail(userId, failures.times());
    }

    record Failures(int times) {}
}
