package dev.outbox.modulith.internal;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import dev.outbox.internal.payload.PayloadClasses;
import dev.outbox.spring.autoconfigure.AdoptedMethods;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.ApplicationListenerMethodAdapter;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.EventListenerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Listeners of stored events. They become handlers, so neither Spring nor Spring Modulith calls them. */
public final class ModuleListeners implements EventListenerFactory, AdoptedMethods, Ordered {

    private static final Set<Propagation> WITHOUT_TRANSACTION = Set.of(Propagation.NOT_SUPPORTED, Propagation.NEVER);

    private static final String EXTERNALIZED_OF_JMOLECULES = "org.jmolecules.event.annotation.Externalized";

    private final ListenerCalls calls;
    private final Map<Method, Uncalled> listeners = new ConcurrentHashMap<>();
    private final Set<Class<?>> adopted = ConcurrentHashMap.newKeySet();
    private final Map<Class<?>, String> others = new ConcurrentHashMap<>();

    public ModuleListeners(BeanFactory beans) {
        this.calls = new ListenerCalls(beans);
    }

    /** Precedes the factories of Spring and of Spring Modulith. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public boolean supportsMethod(Method method) {
        if (adopt(method) != null) {
            return true;
        }
        if (AnnotatedElementUtils.hasAnnotation(method, annotation()) && method.getParameterCount() == 1) {
            others.putIfAbsent(method.getParameterTypes()[0], name(method));
        }
        return false;
    }

    @Override
    public ApplicationListener<?> createApplicationListener(String beanName, Class<?> type, Method method) {
        Collection<Class<?>> events = events(method);
        adopted.addAll(events);
        Uncalled listener = new Uncalled(beanName, type, method, events);
        listeners.put(listener.method(), listener);
        return listener;
    }

    /** Returns whether a listener that became a handler takes the events of a class. */
    public boolean adopted(Class<?> event) {
        return adopted.contains(event);
    }

    /** Returns the externalized classes that such listeners take. */
    List<Class<?>> externalized() {
        return adopted.stream().filter(ModuleListeners::isExternalized).toList();
    }

    /** Returns the listeners that Spring Modulith still calls, one for each class of their parameters. */
    Map<Class<?>, String> others() {
        return others;
    }

    @Override
    public Class<? extends Annotation> annotation() {
        return ApplicationModuleListener.class;
    }

    @Override
    public @Nullable OutboxHandler adopt(Method method) {
        EventListener listener = AnnotatedElementUtils.findMergedAnnotation(method, EventListener.class);
        if (listener == null
                || listener.classes().length > 0
                || method.getParameterCount() != 1
                || !AnnotatedElementUtils.hasAnnotation(method, annotation())
                || !areStored(method)) {
            return null;
        }
        Transactional transactional = AnnotatedElementUtils.findMergedAnnotation(method, Transactional.class);
        boolean deduplicate = transactional == null || !WITHOUT_TRANSACTION.contains(transactional.propagation());
        return MergedAnnotation.of(
                        OutboxHandler.class, Map.<String, Object>of("id", listener.id(), "deduplicate", deduplicate))
                .synthesize();
    }

    private static boolean areStored(Method method) {
        Collection<Class<?>> events = events(method);
        List<String> unmarked = events.stream()
                .filter((event) -> !isMarked(event))
                .map(Class::getSimpleName)
                .sorted()
                .toList();
        if (!unmarked.isEmpty() && unmarked.size() < events.size()) {
            throw new OutboxConfigurationException(
                    "the listener " + name(method) + " takes " + unmarked
                            + ", which the outbox does not store, and other" + " permitted types of "
                            + method.getParameterTypes()[0].getName() + ", which it stores",
                    "annotate all of them with @Outboxed or @Externalized, or none",
                    null);
        }
        return unmarked.isEmpty();
    }

    private static Collection<Class<?>> events(Method method) {
        Class<?> parameter = method.getParameterTypes()[0];
        try {
            return PayloadClasses.of(parameter).concrete();
        } catch (IllegalArgumentException ex) {
            // If the type is marked, the handler is refused with the reason.
            return List.of(parameter);
        }
    }

    private static boolean isMarked(Class<?> event) {
        return MergedAnnotations.from(event, SearchStrategy.TYPE_HIERARCHY).isPresent(Outboxed.class)
                || isExternalized(event);
    }

    private static boolean isExternalized(Class<?> event) {
        MergedAnnotations annotations = MergedAnnotations.from(event, SearchStrategy.TYPE_HIERARCHY);
        return annotations.isPresent(Externalized.class) || annotations.isPresent(EXTERNALIZED_OF_JMOLECULES);
    }

    private static String name(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName();
    }

    @Override
    public void call(Object bean, Method method, Object payload) throws Throwable {
        if (Objects.requireNonNull(listeners.get(method)).holds(payload)) {
            calls.call(bean, method, payload);
        }
    }

    /** Ignores the events that the outbox delivers to the method, and refuses those that it does not, which would be lost. */
    private static final class Uncalled extends ApplicationListenerMethodAdapter {

        private final Collection<Class<?>> delivered;

        Uncalled(String beanName, Class<?> type, Method method, Collection<Class<?>> delivered) {
            super(beanName, type, method);
            this.delivered = delivered;
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            Object published = event instanceof PayloadApplicationEvent<?> carrier ? carrier.getPayload() : event;
            if (!delivered.contains(published.getClass())) {
                throw new InvalidEventException(
                        "Spring event "
                                + published.getClass().getName() + " does not reach " + name(getTargetMethod())
                                + ", because a handler takes no subclasses; let the listener take this class, or a sealed type");
            }
        }

        /** Evaluates the condition, when the event is delivered. */
        boolean holds(Object event) {
            return super.shouldHandle(
                    event instanceof ApplicationEvent own ? own : new PayloadApplicationEvent<>(this, event));
        }

        @Override
        public boolean shouldHandle(ApplicationEvent event) {
            return true;
        }

        Method method() {
            return getTargetMethod();
        }
    }
}
