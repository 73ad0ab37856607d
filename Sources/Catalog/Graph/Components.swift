/// Strongly connected components of a graph, in topological order.
package struct Components<Node: Hashable> {
    /// The components by level; components of the same level don't depend on each other.
    package private(set) var levels: [[[Node]]] = []

    /// Finds the components that are reachable from the given nodes.
    ///
    /// Tarjan's algorithm without recursion, so that long chains don't overflow the stack.
    package init(from starts: [Node], next: (Node) -> [Node]) {
        var search = Search<Node>()
        for start in starts { search.visit(start, next) }
        var depth: [Node: Int] = [:]
        // Tarjan's algorithm finds components in reverse order.
        for component in search.components.reversed() {
            let level = component.compactMap { depth[$0] }.max() ?? 0
            while levels.count <= level { levels.append([]) }
            levels[level].append(component)
            let members = Set(component)
            for node in component {
                for other in next(node) where !members.contains(other) {
                    depth[other] = max(depth[other] ?? 0, level + 1)
                }
            }
        }
    }

    package var ordered: [[Node]] { levels.flatMap { $0 } }
}

private struct Search<Node: Hashable> {
    private(set) var components: [[Node]] = []
    private var numbers: [Node: Int] = [:]
    private var lowest: [Node: Int] = [:]
    private var open: [Node] = []
    private var isOpen: Set<Node> = []

    mutating func visit(_ start: Node, _ next: (Node) -> [Node]) {
        guard numbers[start] == nil else { return }
        var path: [(node: Node, rest: ArraySlice<Node>)] = []
        func entered(_ node: Node) -> (node: Node, rest: ArraySlice<Node>) { (node, next(node)[...]) }
        begin(start)
        path.append(entered(start))
        while let (node, remaining) = path.popLast() {
            var rest = remaining
            if let other = rest.popFirst() {
                path.append((node, rest))
                if numbers[other] == nil {
                    begin(other)
                    path.append(entered(other))
                } else if isOpen.contains(other) {
                    lower(node, to: numbers[other])
                }
                continue
            }
            if lowest[node] == numbers[node] { close(at: node) }
            if let parent = path.last?.node { lower(parent, to: lowest[node]) }
        }
    }

    private mutating func begin(_ node: Node) {
        (numbers[node], lowest[node]) = (numbers.count, numbers.count)
        open.append(node)
        isOpen.insert(node)
    }

    private mutating func lower(_ node: Node, to number: Int?) {
        if let number, let own = lowest[node] { lowest[node] = min(own, number) }
    }

    private mutating func close(at node: Node) {
        var component: [Node] = []
        while let member = open.popLast() {
            isOpen.remove(member)
            component.append(member)
            if member == node { break }
        }
        components.append(component.reversed())
    }
}
