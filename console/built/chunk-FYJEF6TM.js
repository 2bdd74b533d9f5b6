import{p as n}from"./chunk-G3JT72BN.js";function o({label:r,children:l,kind:e=""}){return n("div",{class:`scroll-x ${e}`,tabIndex:0,role:"region","aria-label":r,children:l})}export{o as a};
