"""An HTML document as its elements."""

from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr", "img", "link"}


class Document(HTMLParser):
    """Elements in order with their attributes and text; refuses tags that do not close in order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements = []
        self.open = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        element = {"tag": tag, "text": "", "inside": [outer["tag"] for outer in self.open], **dict(attributes)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def find_elements(self, tag, **attributes):
        elements = [element for element in self.elements if element["tag"] == tag]
        return [
            element
            for element in elements
            if all(element.get(name.strip("_")) == value for name, value in attributes.items())
        ]

    def text(self, tag, **attributes):
        return [" ".join(element["text"].split()) for element in self.find_elements(tag, **attributes)]
