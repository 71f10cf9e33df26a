package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.spring.internal.RequestFilters;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/** Refuses values that an operation of the endpoint does not have: Spring Boot ignores them, so that a misspelled filter would select everything. */
final class UnknownValues implements OperationInvokerAdvisor {

    private static final EndpointId ENDPOINT = EndpointId.of("outbox");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(ENDPOINT)) {
            return invoker;
        }
        Set<String> known = parameters.stream().map(OperationParameter::getName).collect(Collectors.toSet());
        return (context) -> {
            Map<String, Object> given = context.getArguments();
            Map<String, String> unknown = new TreeMap<>();
            given.keySet().stream().filter((name) -> !known.contains(name)).forEach((name) -> unknown.put(name, ""));
            Object use = given.getOrDefault("part", given.getOrDefault("command", "the overview"));
            try {
                new RequestFilters(unknown).end(use.toString());
            } catch (InvalidOperationException ex) {
                return OutboxEndpoint.refused(ex);
            }
            return invoker.invoke(context);
        };
    }
}
